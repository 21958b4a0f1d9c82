import CloudKitWire
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct DatabaseChangesTests {
        @Test func zonesMadeChangedAndDeletedAreListed() async throws {
            let client = try SharedStack.current.client()
            let start = try await client.databaseChanges()
            #expect(start.status == 200)
            #expect(start.body.zoneNames == [])

            try await client.zones("create", "Notes", "Drafts")
            let made = try await client.databaseChanges(since: start.body.syncToken)
            #expect(Set(made.body.zoneNames) == ["Notes", "Drafts"])

            try await client.save("Notes", "a", ["n": 1])
            let changed = try await client.databaseChanges(since: made.body.syncToken)
            #expect(changed.body.zoneNames == ["Notes"])
            #expect(changed["zones"]?[0]?["deleted"] == false)

            try await client.zones("delete", "Notes")
            let deleted = try await client.databaseChanges(since: changed.body.syncToken)
            #expect(deleted.body.zoneNames == ["Notes"])
            #expect(deleted["zones"]?[0]?["deleted"] == true)

            let nothing = try await client.databaseChanges(since: deleted.body.syncToken)
            #expect(nothing.body.zoneNames == [])
            #expect(nothing["moreComing"] == false)
            #expect(try await client.databaseChanges().body.zoneNames == ["Drafts"])
        }

        @Test func listingByPagesMeetsEveryZone() async throws {
            let client = try SharedStack.current.client()
            let names = (0..<7).map { "Zone\($0)" }
            for name in names { try await client.zones("create", name) }
            var (met, more, token): ([String], Bool, String?) = ([], true, nil)
            while more {
                let page = try await client.databaseChanges(since: token, limit: 3)
                met += page.body.zoneNames
                more = page["moreComing"] == true
                token = page.body.syncToken
            }
            #expect(met == names)
            #expect(try await client.databaseChanges(since: token).body.zoneNames == [])
        }

        @Test func tokenOfAZoneThatWasMadeAgainHasExpired() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 1])
            let old = try await client.changes("Notes")
            try await client.zones("delete", "Notes")
            try await client.zones("create", "Notes")
            let item = try await client.changes("Notes", since: old.syncToken)
            #expect(item.errorCode == "BAD_REQUEST")
            #expect(item["ckErrorCode"] == 21)
            #expect(item.reasonCode == "change_token_expired")
            #expect(try await client.changes("Notes").errorCode == nil)
        }
    }
}
