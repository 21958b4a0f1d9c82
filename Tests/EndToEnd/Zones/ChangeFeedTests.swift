import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The guarantees of semantics 8, except those in ``ZoneChangesTests`` and ``DatabaseChangesTests``. The numbers
    /// are those of its appendix A.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ChangeFeedTests {
        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }

        private func changes(_ client: TestClient, _ query: JSONValue.Member...) async throws -> JSONValue {
            let reply = try await client.ask(
                .changesZone, ["zones": [.object([.init("zoneID", .zone("Notes"))] + query)]])
            return try #require(reply["zones"]?[0])
        }

        @Test func a06_aCreatedAndDeletedRecordIsAtMostADeletionAndPagesAlwaysAdvance() async throws {
            let client = try await client()
            let before = try await client.changes("Notes")
            for name in ["a", "b"] {
                try await client.save("Notes", name, ["n": 1])
                try await client.delete("Notes", name)
            }
            var page = try await client.changes("Notes", since: before.syncToken, limit: 1)
            #expect(page.recordNames == ["a"])
            #expect(page["records"]?[0]?["deleted"] == true)
            #expect(page.syncToken != before.syncToken)
            page = try await client.changes("Notes", since: page.syncToken, limit: 1)
            #expect(page.recordNames == ["b"])
            #expect(page["moreComing"] == false)
        }

        @Test func a06_aDatabasesTokenStaysTheSameWhileNothingChanges() async throws {
            let client = try await client()
            let first = try await client.databaseChanges()
            let second = try await client.databaseChanges(since: first.body.syncToken)
            #expect(second.body.zoneNames == [])
            #expect(second.body.syncToken == first.body.syncToken)
        }

        @Test func a07_aZoneMadeAgainIsChangedAndItsOldTokenHasExpiredWithTheReason() async throws {
            let client = try await client()
            let old = try await client.changes("Notes")
            let before = try await client.databaseChanges()
            try await client.zones("delete", "Notes")
            let deleted = try await client.databaseChanges(since: before.body.syncToken)
            #expect(deleted["zones"]?[0]?["deletionReason"] == "deleted")
            #expect(try await client.changes("Notes")["ckErrorCode"] == 26)
            try await client.zones("create", "Notes")
            for token in [before, deleted] {
                let again = try await client.databaseChanges(since: token.body.syncToken)
                #expect(again.body.zoneNames == ["Notes"])
                #expect(again["zones"]?[0]?["deleted"] == false)
            }
            let expired = try await client.changes("Notes", since: old.syncToken)
            #expect(expired["ckErrorCode"] == 21)
            #expect(expired["reason"]?.string?.contains("recreated") == true)
        }

        @Test func aPurgeInWhatNoContainerIsNamedIsRefused() async throws {
            let client = try SharedStack.current.client()
            let purge = try await client.ask(
                .zonesPurge,
                [
                    "container": .string(String(repeating: "c", count: 1 << 20)), "environment": "development",
                    "database": "private", "owner": .string(client.user), "zones": ["Notes"], "reason": "purged",
                ])
            #expect(purge.status == 400)
            #expect(purge.body.reasonCode == "container_invalid")
            #expect(purge["field"] == "container")
        }

        @Test func a08_aPurgedZoneAnswers28ToEveryRequestAndTheFeedHasTheReason() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1])
            let before = try await client.databaseChanges()
            let purge = try await client.ask(
                .zonesPurge,
                [
                    "container": .string(client.container), "environment": "development", "database": "private",
                    "owner": .string(client.user), "zones": ["Notes"], "reason": "purged",
                ])
            #expect(purge["zones"]?[0]?["deletionReason"] == "purged")
            let saved = try await client.modify("Notes", .operation("create", "b"))
            #expect(saved.status == 404)
            for error in [saved.body, try await client.changes("Notes")] {
                #expect(error.errorCode == "ZONE_NOT_FOUND")
                #expect(error["ckErrorCode"] == 28)
                #expect(error["reason"] == "Zone was purged by user")
            }
            let reported = try await client.databaseChanges(since: before.body.syncToken)
            #expect(reported["zones"]?[0]?["deletionReason"] == "purged")
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["n": 2])
        }

        @Test func deletionsTellTheirTypeAndGoByIt() async throws {
            let client = try await client()
            let image: JSONValue = [
                "operationType": "create", "record": ["recordName": "i", "recordType": "Image", "fields": [:]],
            ]
            _ = try await client.modify("Notes", .operation("create", "n"), image)
            let before = try await client.changes("Notes")
            try await client.delete("Notes", "n")
            _ = try await client.modify(
                "Notes", ["operationType": "forceDelete", "record": ["recordName": "i", "recordType": "Image"]])
            let since = JSONValue.Member("syncToken", before["syncToken"] ?? nil)
            let all = try await changes(client, since)
            #expect(all["records"]?.array?.map { $0["recordType"] } == ["Note", "Image"])
            let images = try await changes(client, since, .init("desiredRecordTypes", ["Image"]))
            #expect(images.recordNames == ["i"])
            #expect(images.syncToken == all.syncToken)
        }

        @Test func changeOfAnotherKeyIsReportedWithTheDesiredOnes() async throws {
            let client = try await client()
            try await client.save("Notes", "a", ["n": 1, "m": 1])
            let before = try await client.changes("Notes")
            try await client.save("Notes", "a", ["n": 2, "m": 1])
            let page = try await changes(
                client, .init("syncToken", before["syncToken"] ?? nil), .init("desiredKeys", ["m"]))
            #expect(page.recordNames == ["a"])
            #expect(page["records"]?[0]?.values == ["m": 1])
        }

        @Test func feedBackwardsEndsWithTheTokenOfTheFeedForwards() async throws {
            let client = try await client()
            try await client.save("Notes", "old", ["n": 1])
            let before = try await client.changes("Notes")
            for name in ["a", "b", "c"] { try await client.save("Notes", name, ["n": 1]) }
            try await client.delete("Notes", "old")
            let forwards = try await client.changes("Notes", since: before.syncToken)

            let backwards: [JSONValue.Member] = [.init("reverse", true), .init("resultsLimit", 2)]
            let first = try await changes(
                client, backwards[0], backwards[1], .init("syncToken", before["syncToken"] ?? nil))
            #expect(first.recordNames == ["old", "c"])
            #expect(first["moreComing"] == true)
            // Changes that are made in the meantime are in the next feed.
            try await client.save("Notes", "a", ["n": 2])
            let second = try await changes(
                client, backwards[0], backwards[1], .init("syncToken", first["syncToken"] ?? nil))
            #expect(second.recordNames == ["b"])
            #expect(second["moreComing"] == false)
            #expect(second.syncToken == forwards.syncToken)
            #expect(try await client.changes("Notes", since: second.syncToken).recordNames == ["a"])
        }

        @Test func defaultZoneAndPublicDatabaseHaveFeedsToo() async throws {
            let client = try await client()
            for (database, name) in [("private", "mine"), ("public", "for all \(client.user)")] {
                let client = client.with(Header.database, .string(database))
                try await client.save("_defaultZone", name, ["n": 1])
                let page = try await client.changes("_defaultZone")
                #expect(page.recordNames.contains(name))
                try await client.delete("_defaultZone", name)
                #expect(try await client.changes("_defaultZone", since: page.syncToken).recordNames.contains(name))
            }
        }

        @Test func olderListOfZonesHasItsOwnNameForTheToken() async throws {
            let client = try await client()
            let first = try await client.ask(.zonesChanges, [:])
            #expect(first.body.members.map { Set($0.map(\.key)) } == ["zones", "metaSyncToken", "moreComing"])
            #expect(first.body.zoneNames == ["Notes"])
            let token = first["metaSyncToken"] ?? nil
            #expect(try await client.ask(.zonesChanges, ["metaSyncToken": token]).body.zoneNames == [])
            #expect(try await client.ask(.zonesChanges, ["syncToken": token]).body.zoneNames == ["Notes"])
        }

        @Test func tokenOfAnotherDatabaseIsForeign() async throws {
            let token = try await client().databaseChanges().body.syncToken
            let other = try await client().databaseChanges(since: token)
            #expect(other.body.reasonCode == "change_token_foreign")
        }
    }
}
