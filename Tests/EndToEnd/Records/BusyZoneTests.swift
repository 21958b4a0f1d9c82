import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Zones and environments are locked for longer than a request waits. Only requests to them wait.
    @Suite(.serialized, .sharedStack, .timeLimit(.minutes(3))) struct BusyZoneTests {
        /// The maximum duration of a save that does not depend on the lock. (On an idle machine, it takes some
        /// milliseconds.)
        private static let maxTime = Duration.seconds(3)

        @Test func aSchemaChangeInOneEnvironmentStopsNoOtherEnvironment() async throws {
            let stack = try SharedStack.current
            let locked = stack.client().with(Header.container, "com.example.locked")
            let neighbour = stack.client()
            for client in [locked, neighbour] {
                try await client.zones("create", "Zone")
                try await client.save("Zone", "first", ["n": 1])
            }
            let lock: PostgresStatement = """
                select pg_advisory_xact_lock(hashtext('zonda schema version'), e.id), pg_sleep(60)
                from record.environment e join record.container c on c.id = e.container
                where c.name = 'com.example.locked' and e.name = 'development'
                """
            try await Self.while(lock, holdsIn: stack) {
                try await withThrowingTaskGroup(of: TestReply.self) { group in
                    for number in 0..<8 {
                        group.addTask { try await Self.patientSave(of: locked, "r\(number)", ["n": 1]) }
                    }
                    // A save that would extend the locked schema.
                    group.addTask { try await Self.patientSave(of: locked, "new", ["other": 1]) }
                    try await Self.saves(of: neighbour, to: "Zone")
                    try await Self.release(stack)
                    for try await reply in group { #expect(reply.status == 200, "\(reply.body)") }
                }
            }
            #expect(try await locked.changes("Zone").recordNames.count == 10)
        }

        @Test func largeWritesThatWaitForALockedZoneLeaveTheWindowToOthers() async throws {
            let stack = try SharedStack.current
            let (holder, neighbour) = (stack.client(), stack.client())
            for (client, zone) in [(holder, "Stuck"), (neighbour, "Free")] {
                try await client.zones("create", zone)
                try await client.save(zone, "first", ["n": 1, "text": "x"])
            }
            try await Self.while(Self.lock("Stuck"), holdsIn: stack) {
                for write in 0..<2 {
                    let operations = (0..<10).map { record in
                        JSONValue.operation(
                            "forceReplace", "\(write)-\(record)",
                            ["text": .string(String(repeating: "a", count: 900_000))])
                    }
                    try await stack.publisher.publish(
                        holder.message(.recordsModify, JSONValue.modify("Stuck", operations).encoded()))
                }
                try await Self.saves(of: neighbour, to: "Free")
                try await eventually("both are given back to the broker") {
                    try await stack.services[0].metric("zonda_writes_delayed_total") >= 2 ? true : nil
                }
                try await Self.saves(of: neighbour, to: "Free")
                try await Self.release(stack)
            }
            for write in 0..<2 {
                try await eventually("write \(write) is executed", within: .seconds(60)) {
                    try await holder.record("Stuck", "\(write)-9").changeTag
                }
            }
        }

        @Test func writesOfLockedZonesDoNotKeepOthersFromCreatingZones() async throws {
            let stack = try SharedStack.current
            let holders = [stack.client(), stack.client(), stack.client()]
            for client in holders { try await client.zones("create", "Kept") }
            try await Self.while(Self.lock("Kept"), holdsIn: stack) {
                try await withThrowingTaskGroup(of: TestReply.self) { group in
                    for client in holders {
                        group.addTask {
                            try await client.ask(
                                .zonesModify,
                                ["operations": [["operationType": "delete", "zone": ["zoneID": .zone("Kept")]]]],
                                within: .seconds(40))
                        }
                    }
                    for number in 0..<5 {
                        let client = stack.client()
                        let time = try await ContinuousClock().measure {
                            try await client.zones("create", "New\(number)")
                        }
                        #expect(time < Self.maxTime)
                    }
                    for try await reply in group {
                        #expect(reply.status == 503 && reply["reasonCode"] == "zone_busy", "\(reply.body)")
                    }
                }
                try await Self.release(stack)
            }
            for client in holders { try await client.zones("delete", "Kept") }
        }

        @Test func writesOfUsersWithoutAccessDoNotWaitForTheZone() async throws {
            let stack = try SharedStack.current
            let (holder, former, stranger) = (stack.client(), stack.client(), stack.client())
            try await holder.zones("create", "Veiled")
            let invited: JSONValue = [
                "type": "USER", "permission": "READ_WRITE", "userIdentity": ["userRecordName": .string(former.user)],
            ]
            let share: JSONValue = [
                "operationType": "create",
                "record": [
                    "recordName": "S", "recordType": "cloudkit.share", "fields": [:],
                    "forRecord": ["recordName": "list"], "participants": [invited],
                ],
            ]
            let made = try await holder.ask(
                .recordsModify,
                .modify("Veiled", [.operation("create", "list", ["n": 1]), share], atomic: true))
            let link = try #require(made["records"]?[1]?["shortGUID"]?.string, "\(made.body)")
            let accepted = try await former.with(Header.database, "public").ask(
                .recordsAccept, ["shortGUIDs": [["value": .string(link)]]])
            #expect(accepted["results"]?[0]?["databaseScope"] == "SHARED", "\(accepted.body)")
            func zoneID(_ name: String) -> JSONValue {
                ["zoneName": .string(name), "ownerRecordName": .string(holder.user)]
            }
            func save(_ client: TestClient, _ zone: String) async throws -> TestReply {
                let body: JSONValue = [
                    "zoneID": zoneID(zone), "operations": [.operation("forceDelete", "list", [:])], "atomic": false,
                ]
                return try await client.with(Header.database, "shared").ask(.recordsModify, body, within: .seconds(40))
            }
            let left = try await former.with(Header.database, "shared").ask(
                .zonesModify,
                ["operations": [["operationType": "delete", "zone": ["zoneID": zoneID("Veiled")]]]])
            #expect(left["zones"]?[0]?["deleted"] == true, "\(left.body)")
            try await Self.while(Self.lock("Veiled"), holdsIn: stack) {
                for client in [stranger, former] {
                    for zone in ["Veiled", "None"] {
                        let started = ContinuousClock.now
                        let reply = try await save(client, zone)
                        let time = ContinuousClock.now - started
                        #expect(reply.body["ckErrorCode"] == 26, "\(reply.body)")
                        #expect(time < Self.maxTime, "\(zone)")
                    }
                }
                try await Self.release(stack)
            }
            #expect(try await holder.record("Veiled", "list").errorCode == nil)
        }

        @Test func writesThatCameOverALostConnectionAreNotKept() async throws {
            let stack = try SharedStack.current
            let holder = stack.client()
            let service = stack.services[0]
            try await holder.zones("create", "Lost")
            try await Self.while(Self.lock("Lost"), holdsIn: stack) {
                let deletion: JSONValue = [
                    "operations": [["operationType": "delete", "zone": ["zoneID": .zone("Lost")]]]
                ]
                var received = try await service.metric(Self.received)
                var message = holder.message(.zonesModify, deletion.encoded())
                message.properties.timestamp = UInt64(Date().timeIntervalSince1970)
                try await stack.publisher.publish(message)
                // The broker delivers the request again over each new connection of the service. After ten seconds, the
                // copies would be refused.
                for _ in 0..<3 {
                    try await eventually("the deletion is delivered") {
                        try await service.metric(Self.received) > received ? true : nil
                    }
                    received = try await service.metric(Self.received)
                    try await eventually("it is the only one", within: .seconds(6)) {
                        try await service.metric("zonda_requests_in_progress") == 1 ? true : nil
                    }
                    try await stack.environment.control(
                        "erlang",
                        """
                        [rabbit_networking:close_connection(rabbit_misc:pget(pid, C), "test")
                            || C <- rabbit_networking:connection_info_all([pid, vhost]),
                            rabbit_misc:pget(vhost, C) =:= <<"\(stack.vhost.name)">>].
                        """)
                }
                try await Self.release(stack)
            }
            try await eventually("the zone is gone", within: .seconds(60)) {
                try await holder.ask(.zonesList).body.zoneNames.contains("Lost") ? nil : true
            }
        }

        /// The metric that counts deliveries with a timestamp.
        private static let received = "zonda_request_age_seconds_count"

        /// Saves a record, and repeats the save while the answer is that the zone is busy.
        private static func patientSave(
            of client: TestClient, _ name: String, _ fields: JSONValue
        ) async throws -> TestReply {
            while true {
                let reply = try await client.modify("Zone", .operation("forceReplace", name, fields))
                if reply["reasonCode"] != "zone_busy" { return reply }
            }
        }

        /// Saves records and checks that the saves do not wait.
        private static func saves(of client: TestClient, to zone: String) async throws {
            for number in 0..<10 {
                let time = try await ContinuousClock().measure {
                    try await client.save(zone, "n\(number)", ["n": 2])
                }
                #expect(time < maxTime)
            }
        }

        private static func lock(_ zone: String) -> PostgresStatement {
            PostgresStatement(
                """
                with held as materialized (select id from record.zone where name = '\(zone)' for update)
                select pg_sleep(60) from (select count(*) from held) h
                """)
        }

        /// Runs `body` while another session holds the lock of the statement `lock`, which ends with a sleep.
        private static func `while`(
            _ lock: PostgresStatement, holdsIn stack: ServiceStack, _ body: () async throws -> Void
        ) async throws {
            async let holder = stack.database.query(lock)
            try await eventually("the lock is held") {
                let rows = try await stack.database.query(
                    "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")
                return rows.isEmpty ? nil : true
            }
            do {
                try await body()
            } catch {
                try await release(stack)
                _ = try? await holder
                throw error
            }
            _ = try? await holder
        }

        private static func release(_ stack: ServiceStack) async throws {
            _ = try await stack.database.query(
                """
                select pg_cancel_backend(pid) from pg_stat_activity
                where datname = current_database() and wait_event = 'PgSleep'
                """)
        }
    }
}
