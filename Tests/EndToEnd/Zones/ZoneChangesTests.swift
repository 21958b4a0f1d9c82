import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ZoneChangesTests {
        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }

        @Test func walkByPagesMeetsEveryRecordOnceInOrder() async throws {
            let client = try await client()
            let names = (0..<25).map { "r\($0)" }
            for name in names { try await client.save("Notes", name, ["n": 1]) }
            var (met, more, token): ([String], [Bool], String?) = ([], [], nil)
            repeat {
                let page = try await client.changes("Notes", since: token, limit: 10)
                met += page.recordNames
                more.append(page["moreComing"] == true)
                token = page.syncToken
            } while more.last == true
            #expect(met == names)
            #expect(more == [true, true, false])
            #expect(try await client.changes("Notes", since: token).recordNames == [])
        }

        @Test func aWalkContinuesWhileOthersWrite() async throws {
            let client = try await client()
            for name in ["a", "b", "c"] { try await client.save("Notes", name, ["n": 1]) }
            let first = try await client.changes("Notes", limit: 2)
            #expect(first.recordNames == ["a", "b"])
            try await client.save("Notes", "a", ["n": 2])
            let second = try await client.changes("Notes", since: first.syncToken)
            #expect(second.recordNames == ["c", "a"])
            #expect(second["moreComing"] == false)
        }

        @Test func tokenStaysTheSameWhileNothingChanges() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1])
            let first = try await client.changes("Notes")
            let second = try await client.changes("Notes", since: first.syncToken)
            #expect(second.recordNames == [])
            #expect(second.syncToken == first.syncToken)
        }

        @Test func threeUpdatesAreOneChange() async throws {
            let client = try await client()
            let before = try await client.changes("Notes")
            for number: JSONValue in [1, 2, 3] { try await client.save("Notes", "a", ["n": number]) }
            let page = try await client.changes("Notes", since: before.syncToken)
            #expect(page.recordNames == ["a"])
            #expect(page["records"]?[0]?.values == ["n": 3])
        }

        @Test func deletedRecordIsATombstoneForThoseWhoKnewIt() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1])
            try await client.save("Notes", "b", ["n": 1])
            let before = try await client.changes("Notes")
            try await client.delete("Notes", "a")
            let page = try await client.changes("Notes", since: before.syncToken)
            #expect(page.recordNames == ["a"])
            #expect(page["records"]?[0]?["deleted"] == true)
            #expect(page["records"]?[0]?["fields"] == nil)
            #expect(try await client.changes("Notes").recordNames == ["b"], "who begins now never knew it")
        }

        @Test func recordDeletedAndMadeAgainIsOneChange() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1])
            let before = try await client.changes("Notes")
            try await client.delete("Notes", "a")
            try await client.save("Notes", "a", ["n": 2])
            let page = try await client.changes("Notes", since: before.syncToken)
            #expect(page.recordNames == ["a"])
            #expect(page["records"]?[0]?["deleted"] == false)
            #expect(page["records"]?[0]?.values == ["n": 2])
        }

        @Test func ownWritesAppear() async throws {
            let client = try await client()
            let before = try await client.changes("Notes")
            let saved = try await client.save("Notes", "a", ["n": 1])
            let page = try await client.changes("Notes", since: before.syncToken)
            #expect(page["records"]?[0]?.changeTag == saved.changeTag)
        }

        @Test func zonesTokenOfItsCreationLeadsToItsFirstRecord() async throws {
            let client = try SharedStack.current.client()
            let zone = try await client.zones("create", "Fresh")
            try await client.save("Fresh", "a", ["n": 1])
            #expect(try await client.changes("Fresh", since: zone.first?.syncToken).recordNames == ["a"])
        }

        @Test func severalZonesAreAnsweredInOneItemEach() async throws {
            let client = try await client()
            try await client.zones("create", "Drafts")
            try await client.save("Drafts", "d", ["n": 1])
            let reply = try await client.ask(
                .changesZone,
                ["zones": [["zoneID": .zone("Drafts")], ["zoneID": .zone("Missing")], ["zoneID": .zone("Notes")]]])
            #expect(reply.status == 200)
            #expect(reply["zones"]?[0]?.recordNames == ["d"])
            #expect(reply["zones"]?[1]?.errorCode == "ZONE_NOT_FOUND")
            #expect(reply["zones"]?[2]?.recordNames == [])
        }

        @Test func refusedAndEffectlessOperationsAreNoChanges() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1])
            let before = try await client.changes("Notes")
            _ = try await client.modify(
                "Notes", .operation("create", "a", ["n": 2]), .operation("update", "missing", ["n": 2]),
                .operation("forceDelete", "never"))
            let after = try await client.changes("Notes", since: before.syncToken)
            #expect(after.recordNames == [])
            #expect(after.syncToken == before.syncToken)
        }
    }
}
