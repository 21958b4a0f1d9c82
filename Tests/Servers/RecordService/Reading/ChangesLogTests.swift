import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// `changes.log` of a zone, with a log that reaches back far enough and with one that does not.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct ChangesLogTests {
    private struct Log {
        let database: RecordDatabase
        let zone: ZoneEntry

        func read(after seq: Int64, limit: Int64 = 200) async throws -> (events: [ChangeEvent], moreComing: Bool) {
            let answer = try await database.ask(
                .changesLog,
                ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": .int(seq), "limit": .int(limit)])
            let events = try #require(answer["events"]?.array, "\(answer)").map { try ChangeEvent($0) }
            return (events, try #require(answer["moreComing"]) == true)
        }

        func save(_ kind: String, _ name: String) async throws {
            try await database.write(database.request(zone, database.operation(kind, name, ["n": 1])))
        }

        func forget(upTo seq: Int64) async throws {
            try await database.query("delete from record.change where to_seq <= $1", [.int8(seq)])
        }
    }

    private static func withLog(_ body: @escaping @Sendable (Log) async throws -> Void) async throws {
        try await RecordDatabase.with { database in
            try await body(Log(database: database, zone: try await database.zone()))
        }
    }

    private static func spans(_ events: [ChangeEvent]) -> [String] {
        events.map { "\($0.fromSeq)-\($0.toSeq)\($0.isMerged ? " merged" : "")" }
    }

    @Test func whatTheLogForgotComesFromTheFeed() async throws {
        try await Self.withLog { log in
            for name in ["a", "b", "c"] { try await log.save("create", name) }
            try await log.save("forceUpdate", "b")  // 4
            try await log.save("forceDelete", "c")  // 5
            try await log.save("forceUpdate", "a")  // 6
            try await log.save("create", "d")  // 7
            try await log.forget(upTo: 5)
            let (events, moreComing) = try await log.read(after: 0)
            #expect(Self.spans(events) == ["1-5 merged", "6-6", "7-7"])
            #expect(!moreComing)
            let merged = try #require(try events[0].changedRecords())
            #expect(merged.map { "\($0.seq) \($0.name) \($0.kind)" } == ["4 b updated", "5 c deleted"])
            #expect(merged.map(\.type) == ["Photo", "Photo"])
            #expect(events[0].user == RecordDatabase.user)
            let (rest, _) = try await log.read(after: 4)
            #expect(Self.spans(rest) == ["5-5 merged", "6-6", "7-7"])
            let (logged, _) = try await log.read(after: 5)
            #expect(Self.spans(logged) == ["6-6", "7-7"])
        }
    }

    @Test func anEmptyLogIsCompletedUpToTheCounter() async throws {
        try await Self.withLog { log in
            for name in ["a", "b"] { try await log.save("create", name) }
            try await log.forget(upTo: 2)
            let (events, _) = try await log.read(after: 0)
            #expect(Self.spans(events) == ["1-2 merged"])
            let kinds = try #require(try events[0].changedRecords()).map(\.kind)
            #expect(kinds == [.created, .created])
            let (none, moreComing) = try await log.read(after: 2)
            #expect(none.isEmpty && !moreComing)
            let (beyond, _) = try await log.read(after: .max)
            #expect(beyond.isEmpty)
        }
    }

    @Test func theTokenOfAMergedEventLeadsOn() async throws {
        try await Self.withLog { log in
            for name in ["a", "b"] { try await log.save("create", name) }
            try await log.forget(upTo: 2)
            let (events, _) = try await log.read(after: 0)
            try await log.save("create", "c")
            let feed = try await log.database.ask(
                .changesZone,
                ["zones": [["zoneID": ["zoneName": "Z"], "syncToken": .string(events[0].syncToken)]]])
            let names = feed["zones"]?[0]?["records"]?.array?.map { $0["recordName"] }
            #expect(names == ["c"])
        }
    }

    @Test func pagesOfALongGapAreContiguous() async throws {
        try await Self.withLog { log in
            let (database, zone) = (log.database, log.zone)
            for page in 0..<3 {
                let operations = (0..<200).map { database.operation("create", "r\(page)-\($0)") }
                try await database.write(database.request(zone, operations))
            }
            try await log.save("create", "last")
            try await log.forget(upTo: 600)
            var met: [String] = []
            var seq: Int64 = 0
            var pages = 0
            while true {
                let (events, moreComing) = try await log.read(after: seq, limit: 1)
                met += Self.spans(events)
                seq = events.last?.toSeq ?? seq
                pages += 1
                guard moreComing, pages < 20 else { break }
            }
            #expect(met == ["1-200 merged", "201-400 merged", "401-600 merged", "601-601"])
        }
    }

    /// A page may have rows and no events.
    @Test func aSweepContinuesBehindTheChangesOfADeletedContainer() async throws {
        try await Self.withLog { log in
            let present = try #require(try await log.database.ask(.changesLog, [:])["snapshot"])
            for name in ["a", "b", "c"] { try await log.save("create", name) }
            _ = try await log.database.ask(.containersDelete, ["container": .string(RecordDatabase.container)])
            var places: [JSONValue] = []
            var page = try await log.database.ask(.changesLog, ["since": present, "limit": 1])
            while page["moreComing"] == true, places.count < 10 {
                #expect(page["events"] == [])
                places.append(try #require(page["after"]))
                page = try await log.database.ask(
                    .changesLog,
                    [
                        "since": present, "upTo": try #require(page["snapshot"]), "after": places[places.count - 1],
                        "limit": 1,
                    ])
            }
            #expect(places.count == 3)
            #expect(page["events"] == [])
        }
    }

    /// The cost of a page does not depend on the length of the log, or on the number of new rows.
    @Test func aPageOfASweepReadsAPage() async throws {
        try await Self.withLog { log in
            try await log.database.query(
                """
                insert into record.change (at, zone, incarnation, from_seq, to_seq, xid, user_name, records)
                select now(), id, incarnation, n, n, n::text::xid8, 'u', '[]' from record.zone, generate_series(10001, 30000) n
                where incarnation = $1
                """, [.uuid(log.zone.incarnation)])
            try await log.database.query("analyze record.change")
            try await log.database.pool.withTransaction { connection in
                // Enough executions for the server to prefer a generic plan.
                for _ in 0..<8 {
                    let before = try await Self.rowsRead(connection)
                    let rows = try await connection.query(
                        ChangeLog.sweepStatement,
                        [
                            .text("12000:15000:12000,12001"), .text("30001:30001:"), .int8(100), .int8(1 << 20),
                            .xid8(0),
                            .int8(0), .int8(0),
                        ])
                    #expect(rows.map { $0.int64(7) } == [12000, 12001] + (15000...15097).map(Int64.init))
                    let read = try await Self.rowsRead(connection) - before
                    #expect(read < 500)
                }
            }
        }
    }

    /// Returns the number of rows of the log that this transaction has read.
    private static func rowsRead(_ connection: PostgresConnection) async throws -> Int64 {
        let rows = try await connection.query(
            """
            select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 from pg_stat_xact_user_tables
            where schemaname = 'record' and relname like 'change%'
            """)
        return rows[0].int64(0)
    }

    @Test func aDeletedZoneKeepsItsLog() async throws {
        try await Self.withLog { log in
            for name in ["a", "b"] { try await log.save("create", name) }
            _ = try await log.database.ask(
                .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
            let reclaimer = Reclaimer(pool: log.database.pool, retention: .seconds(3600), logger: RecordDatabase.logger)
            while try await reclaimer.runOnce() {}
            let records = try await log.database.query("select count(*) from record.record")
            #expect(records.first?.int64(0) == 0)
            let (events, _) = try await log.read(after: 0)
            #expect(Self.spans(events) == ["1-1", "2-2", "3-3"])
            #expect(events.map(\.isDeletion) == [false, false, true])
            #expect(try events[2].changedRecords() == [])
            // The records no longer exist, so the forgotten part of the log becomes an event without records.
            try await log.forget(upTo: 1)
            let (late, _) = try await log.read(after: 0)
            #expect(Self.spans(late) == ["1-1 merged", "2-2", "3-3"])
            try await log.forget(upTo: 3)
            let (last, _) = try await log.read(after: 2)
            #expect(Self.spans(last) == ["3-3 merged"])
            #expect(last.map(\.isDeletion) == [true])
        }
    }

    @Test(arguments: [true, false]) func aZonesDeletionIsReportedAsItIsLogged(isPurge: Bool) async throws {
        try await Self.withLog { log in
            try await log.save("create", "a")
            _ = try await log.database.zone("Empty")
            let body: JSONValue =
                isPurge
                ? [
                    "container": .string(RecordDatabase.container), "environment": "development",
                    "database": "private", "owner": .string(RecordDatabase.user), "all": true, "reason": "purged",
                ]
                : [
                    "operations": .array(
                        ["Z", "Empty"].map {
                            ["operationType": "delete", "zone": ["zoneID": ["zoneName": .string($0)]]]
                        })
                ]
            let events = try await log.database.answer(isPurge ? .zonesPurge : .zonesModify, body).events
            #expect(events.map { "\($0.address.zone) \($0.fromSeq)-\($0.toSeq)" } == ["Z 2-2", "Empty 1-1"])
            #expect(events.map(\.isDeletion) == [true, true])
            let (logged, _) = try await log.read(after: 1)
            #expect(logged == [events[0]])
        }
    }

    @Test func aDeletedContainersZonesAreNotKnown() async throws {
        try await Self.withLog { log in
            try await log.save("create", "a")
            _ = try await log.database.ask(.containersDelete, ["container": .string(RecordDatabase.container)])
            let answer = try await log.database.ask(
                .changesLog, ["incarnation": .string(log.zone.incarnation.uuidString), "afterSeq": 0])
            #expect(answer["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(answer["field"] == "incarnation")
        }
    }
}
