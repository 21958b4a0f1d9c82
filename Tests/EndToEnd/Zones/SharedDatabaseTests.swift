import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Two users of the shared database, from the invitation to the removal.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct SharedDatabaseTests {
        private static func record(_ name: String, parent: String? = nil, _ n: Int64) -> JSONValue {
            var record: [JSONValue.Member] = [
                .init("recordName", .string(name)), .init("recordType", "Note"),
                .init("fields", ["n": ["value": .int(n)]]),
            ]
            if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
            return ["operationType": "create", "record": .object(record)]
        }

        private static func share(_ kind: String, tag: JSONValue? = nil, users: [String]) -> JSONValue {
            let participants = users.map { user -> JSONValue in
                [
                    "type": "USER", "permission": "READ_ONLY", "acceptanceStatus": "INVITED",
                    "userIdentity": ["userRecordName": .string(user)],
                ]
            }
            var share: [JSONValue.Member] = [
                .init("recordName", "S"), .init("recordType", "cloudkit.share"), .init("fields", [:]),
                .init("participants", .array(participants)),
            ]
            if let tag { share.append(.init("recordChangeTag", tag)) }
            if tag == nil { share.append(.init("forRecord", ["recordName": "list"])) }
            return ["operationType": .string(kind), "record": .object(share)]
        }

        @Test func aParticipantListsAndQueriesUntilTheRemoval() async throws {
            let owner = try SharedStack.current.client()
            let caller = owner.with(Header.user, .string(TestClient.newUser()))
            let reader = caller.with(Header.database, "shared")
            let zoneID: JSONValue = ["zoneName": "Notes", "ownerRecordName": .string(owner.user)]
            func query(_ operation: ServiceMessages.Operation) async throws -> TestReply {
                let filter: JSONValue = [
                    "fieldName": "n", "comparator": "GREATER_THAN", "fieldValue": ["value": 0, "type": "INT64"],
                ]
                return try await reader.ask(
                    operation, ["zoneID": zoneID, "query": ["recordType": "Note", "filterBy": [filter]]])
            }
            try await owner.zones("create", "Notes")
            let saved = try await owner.modify(
                "Notes", Self.record("list", 0), Self.record("milk", parent: "list", 1), Self.record("diary", 2),
                Self.share("create", users: [caller.user]), atomic: true)
            let link = try #require(saved["records"]?[3]?["shortGUID"], "\(saved.body)")
            let start = try await reader.databaseChanges()
            #expect(start.body.zoneNames == [])
            #expect(try await query(.recordsQuery)["serverErrorCode"] == "ZONE_NOT_FOUND")

            let accepted = try await caller.with(Header.database, "public").ask(
                .recordsAccept, ["shortGUIDs": [["value": link]]])
            try #require(accepted["results"]?[0]?["participantStatus"] == "ACCEPTED", "\(accepted.body)")
            let gained = try await reader.databaseChanges(since: start.body.syncToken)
            #expect(gained.body.zoneNames == ["Notes"])
            #expect(gained["zones"]?[0]?["zoneID"]?["ownerRecordName"]?.string == owner.user)
            let found = try await query(.recordsQuery)
            #expect(found["records"]?.array?.compactMap { $0["recordName"]?.string } == ["milk"], "\(found.body)")
            let count = try await query(.recordsAggregate)
            #expect(count["results"]?[0]?["aggregates"]?[0]?["value"]?["value"] == 1)
            #expect(try await query(.recordsExplain)["rowsReturned"] == 1)

            // What is not shared changes unheard.
            try await owner.save("Notes", "diary", ["n": 3])
            let unheard = try await reader.databaseChanges(since: gained.body.syncToken)
            #expect(unheard.body.zoneNames == [])

            let share = try await owner.record("Notes", "S")
            let removal = try await owner.modify(
                "Notes", Self.share("update", tag: share["recordChangeTag"], users: []))
            try #require(removal["records"]?[0]?.errorCode == nil, "\(removal.body)")
            let lost = try await reader.databaseChanges(since: unheard.body.syncToken)
            #expect(lost.body.zoneNames == ["Notes"])
            #expect(lost["zones"]?[0]?["deleted"] == true)
            #expect(try await query(.recordsQuery)["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(try await query(.recordsAggregate)["ckErrorCode"] == 26)
        }
    }
}
