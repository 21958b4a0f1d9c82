import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Names are compared as bytes. Names that look alike are different.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct NameTests {
        /// `é` as one Unicode scalar, and as a letter with a combining accent.
        private static let (one, two) = ("\u{E9}", "e\u{301}")

        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }

        private func look(_ client: TestClient, up names: String...) async throws -> [JSONValue] {
            let records = names.map { ["recordName": .string($0)] as JSONValue }
            let reply = try await client.ask(
                .recordsLookup, ["zoneID": .zone("Notes"), "records": .array(records)])
            return try #require(reply["records"]?.array)
        }

        @Test func namesThatLookAlikeAreTwoRecords() async throws {
            let client = try await client()
            let saved = try await client.modify(
                "Notes", .operation("create", Self.one, ["n": 1]), .operation("create", Self.two, ["n": 2]))
            #expect(saved["records"]?.array?.map(\.errorCode) == [nil, nil])
            let found = try await look(client, up: Self.one, Self.two, Self.one)
            #expect(found.map(\.values) == [["n": 1], ["n": 2], ["n": 1]])
            let page = try await client.changes("Notes")
            #expect(page.recordNames.map { Array($0.utf8) } == [Self.one, Self.two].map { Array($0.utf8) })

            try await client.delete("Notes", Self.one)
            let left = try await look(client, up: Self.one, Self.two)
            #expect(left.map(\.errorCode) == ["NOT_FOUND", nil])
            #expect(left[1].values == ["n": 2])
            let last = try await client.changes("Notes", since: page.syncToken)
            #expect(last.recordNames.map { Array($0.utf8) } == [Array(Self.one.utf8)])
            #expect(last["records"]?[0]?["deleted"] == true)
        }

        @Test func aReferenceNamesTheBytesOfItsTarget() async throws {
            let client = try await client()
            func owned(by name: String) -> JSONValue {
                ["owner": ["recordName": .string(name), "action": "DELETE_SELF"]]
            }
            let saved = try await client.modify(
                "Notes", .operation("create", "of two", owned(by: Self.two)), .operation("create", Self.two, ["n": 2]),
                .operation("create", Self.one, ["n": 1]), .operation("create", "of one", owned(by: Self.one)),
                atomic: true)
            #expect(saved["records"]?.array?.map(\.errorCode) == [nil, nil, nil, nil])
            try await client.delete("Notes", Self.one)
            let left = try await look(client, up: "of one", "of two", Self.one, Self.two)
            #expect(left.map(\.errorCode) == ["NOT_FOUND", nil, "NOT_FOUND", nil])
        }

        @Test func zonesWhoseNamesLookAlikeAreTwo() async throws {
            let client = try await client()
            let made = try await client.zones("create", Self.one, Self.two)
            #expect(Set(made.compactMap(\.syncToken)).count == 2)
            try await client.save(Self.one, "a", ["n": 1])
            try await client.save(Self.two, "a", ["n": 2])
            #expect(try await client.record(Self.one, "a").values == ["n": 1])
            #expect(try await client.record(Self.two, "a").values == ["n": 2])
            let found = try await client.ask(.zonesLookup, ["zones": [.zone(Self.two), .zone(Self.one)]])
            #expect(found.body.zoneNames.map { Array($0.utf8) } == [Self.two, Self.one].map { Array($0.utf8) })

            try await client.zones("delete", Self.one)
            let left = try await client.ask(.zonesLookup, ["zones": [.zone(Self.one), .zone(Self.two)]])
            #expect(left["zones"]?.array?.map(\.errorCode) == ["ZONE_NOT_FOUND", nil])
            #expect(try await client.record(Self.two, "a").values == ["n": 2])
        }

        @Test func messageIDsThatLookAlikeAreTwoRequests() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", nil, ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "\(client.user)\(Self.one)")
            let second = try await client.modify("Notes", operation, messageID: "\(client.user)\(Self.two)")
            let again = try await client.modify("Notes", operation, messageID: "\(client.user)\(Self.one)")
            #expect(first.body.recordNames != second.body.recordNames)
            #expect(again == first)
            #expect(try await client.changes("Notes").recordNames == first.body.recordNames + second.body.recordNames)
        }

        @Test func aMessageIDThatIsUsedAgainBringsNoChangeTagBack() async throws {
            let client = try await client()
            let id = "order-\(client.user)"
            let first = try await client.modify(
                "Notes", .operation("forceReplace", "a", ["n": 1]), .operation("create", nil, ["n": 1]), messageID: id)
            try await client.save("Notes", "a", ["n": 2])
            // Deletes the row, as happens a day after the request.
            _ = try await SharedStack.current.database.query(
                "delete from record.request where message_id = $1", [.text(id)])
            let later = try await client.modify(
                "Notes", .operation("forceReplace", "a", ["n": 3]), .operation("create", nil, ["n": 3]), messageID: id)
            let (old, new) = (first["records"]?[0]?.changeTag, later["records"]?[0]?.changeTag)
            #expect(old != nil && new != nil && old != new)
            let stale = try await client.modify("Notes", .operation("update", "a", ["n": 4], tag: old))
            #expect(stale["records"]?[0]?.errorCode == "CONFLICT")
            #expect(later["records"]?[1]?.errorCode == nil)
            #expect(later.body.recordNames != first.body.recordNames)
        }
    }
}
