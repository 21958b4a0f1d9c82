import AMQPClient
import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The events on `zonda.changes` for the other services, and the log from which lost events are read.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ChangeEventTests {
        @Test func eachCommitIsAnEventUnderTheZonesKey() async throws {
            let stack = try SharedStack.current
            let client = stack.client().with(Header.client, "device-7")
            try await client.zones("create", "Notes & Drafts.v1")
            let key = "com%2Eexample%2Etests.development.private.\(client.user).Notes%20&%20Drafts%2Ev1"
            try await TestQueue.withBinding(to: Exchange.changes, "*.\(key)", try stack.vhost.configuration()) { box in
                try await client.save("Notes & Drafts.v1", "a", ["n": 1, "m": 1])
                _ = try await client.modify(
                    "Notes & Drafts.v1", .operation("forceUpdate", "a", ["n": 2]), .operation("create", "b", ["n": 3]))
                try await client.delete("Notes & Drafts.v1", "a")
                let deliveries = try await box.wait(for: "three events") { $0.count == 3 ? $0 : nil }

                let events = try deliveries.map { try JSONValue(parsing: $0.body) }
                #expect(events.map { $0["fromSeq"]?.int } == [1, 2, 4])
                #expect(events.map { $0["toSeq"]?.int } == [1, 3, 4])
                let changes = events.flatMap { $0["records"]?.array ?? [] }
                #expect(changes.map { $0["recordName"] } == ["a", "a", "b", "a"])
                #expect(changes.map { $0["change"] } == ["created", "updated", "created", "deleted"])
                #expect(changes.map { $0["seq"] } == [1, 2, 3, 4])
                #expect(changes.map { $0["changedKeys"] } == [["n", "m"], ["n"], ["n"], []])
                for event in events {
                    #expect(event["container"]?.string == stack.container)
                    #expect(event["environment"] == "development")
                    #expect(event["scope"] == "private")
                    #expect(event["owner"]?.string == client.user)
                    #expect(event["user"]?.string == client.user)
                    #expect(event["zone"] == "Notes & Drafts.v1")
                    #expect(event["client"] == "device-7")
                }
                #expect(Set(events.map { $0["incarnation"] }).count == 1)
                let shard = try #require(deliveries.first?.routingKey.prefix { $0 != "." })
                #expect(shard.count == 2 && Int(shard).map { (0..<16).contains($0) } == true)
                #expect(deliveries.allSatisfy { $0.routingKey == "\(shard).\(key)" })
            }
        }

        @Test func longZoneNameIsADigestInTheKey() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            let zone = String(repeating: "z", count: 255)
            try await client.zones("create", zone)
            let address = ZoneAddress(
                container: stack.container, environment: .development, scope: .private, owner: client.user,
                zone: ZoneName(unchecked: zone))
            let key = RoutingKey.change(address)
            #expect(key.split(separator: ".").last?.hasPrefix("~") == true)
            try await TestQueue.withBinding(to: Exchange.changes, key, try stack.vhost.configuration()) { box in
                try await client.save(zone, "a", ["n": 1])
                let event = try JSONValue(parsing: try await box.first("the event").body)
                #expect(event["zone"]?.string == zone)
            }
        }

        @Test func theLogOfAZoneContinuesAfterANumber() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            for number: JSONValue in [1, 2, 3] { try await client.save("Notes", "a", ["n": number]) }
            let incarnation = try await incarnation("Notes", of: client)
            let reply = try await client.ask(.changesLog, ["incarnation": .string(incarnation), "afterSeq": 1])
            #expect(reply.status == 200)
            #expect(reply["events"]?.array?.map { $0["fromSeq"]?.int } == [2, 3])
            #expect(reply["events"]?[0]?["owner"]?.string == client.user)
            #expect(reply["moreComing"] == false)
            let page = try await client.ask(
                .changesLog, ["incarnation": .string(incarnation), "afterSeq": 0, "limit": 2])
            #expect(page["events"]?.array?.map { $0["toSeq"]?.int } == [1, 2])
            #expect(page["moreComing"] == true)
        }

        @Test func sweepFindsEverythingSinceASnapshotAndNothingBefore() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes", "Drafts")
            try await client.save("Notes", "before", ["n": 0])
            let start = try await client.ask(.changesLog)
            let snapshot = try #require(start["snapshot"])
            for name in ["a", "b", "c"] {
                try await client.save("Notes", name, ["n": 1])
                try await client.save("Drafts", name, ["n": 1])
            }
            var (met, next): ([String], JSONValue) = ([], ["since": snapshot, "limit": 2])
            while true {
                let page = try await client.ask(.changesLog, next)
                try #require(page.status == 200, "\(page.body)")
                for event in try #require(page["events"]?.array) where event["owner"]?.string == client.user {
                    let names = (event["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
                    met += names.map { "\(event["zone"]?.string ?? "") \($0)" }
                }
                let upTo = try #require(page["snapshot"])
                guard page["moreComing"] == true, let after = page["after"] else { break }
                next = ["since": snapshot, "upTo": upTo, "after": after, "limit": 2]
            }
            #expect(met == ["Notes a", "Drafts a", "Notes b", "Drafts b", "Notes c", "Drafts c"])
        }

        private func incarnation(_ zone: String, of client: TestClient) async throws -> String {
            let rows = try await SharedStack.current.database.query(
                """
                select z.incarnation::text from record.zone z join record.database d on d.id = z.database
                where d.owner = $1 and z.name = $2 and z.deleted_at is null
                """, [.text(client.user), .text(zone)])
            return try #require(rows.first?.string(0))
        }
    }
}
