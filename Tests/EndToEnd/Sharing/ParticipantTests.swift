import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A participant saves, deletes and leaves in the shared database (semantics 11.3).
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct ParticipantTests {
        private static func zone(_ owner: TestClient, _ name: String = "Lists") -> JSONValue {
            ["zoneName": .string(name), "ownerRecordName": .string(owner.user)]
        }

        private static func modify(
            _ participant: TestClient, _ zone: JSONValue, _ operations: JSONValue..., messageID: String? = nil
        ) async throws -> TestReply {
            let body: JSONValue = ["zoneID": zone, "operations": .array(operations), "atomic": false]
            return try await participant.ask(
                .recordsModify, body, messageID: messageID ?? TestClient.newMessageID())
        }

        private static func operation(_ kind: String, _ name: String, below parent: String? = nil) -> JSONValue {
            var record: [JSONValue.Member] = [
                .init("recordName", .string(name)), .init("recordType", "Note"), .init("fields", ["n": ["value": 1]]),
            ]
            if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
            return ["operationType": .string(kind), "record": .object(record)]
        }

        @Test func aParticipantWorksInTheOwnersZoneAndLeavesIt() async throws {
            let owner = try SharedStack.current.client()
            let guest = try SharedStack.current.client()
            try await owner.zones("create", "Lists")
            let invited: JSONValue = [
                "type": "USER", "permission": "READ_WRITE", "userIdentity": ["userRecordName": .string(guest.user)],
            ]
            let share: JSONValue = [
                "operationType": "create",
                "record": [
                    "recordName": "S", "recordType": "cloudkit.share", "fields": [:],
                    "forRecord": ["recordName": "list"], "participants": [invited],
                ],
            ]
            let made = try await owner.ask(
                .recordsModify,
                .modify(
                    "Lists",
                    [
                        Self.operation("create", "list"), Self.operation("create", "a", below: "list"),
                        Self.operation("create", "diary"), share,
                    ], atomic: true))
            let link = try #require(made["records"]?[3]?["shortGUID"]?.string, "\(made.body)")
            let shared = guest.with(Header.database, "shared")
            let zone = Self.zone(owner)

            // Before the acceptance, the zone does not exist for the guest, and neither does one that was never made.
            let save = Self.operation("create", "b", below: "list")
            #expect(try await Self.modify(shared, zone, save).body["ckErrorCode"] == 26)
            #expect(try await Self.modify(shared, Self.zone(owner, "None"), save).body["ckErrorCode"] == 26)
            #expect(try await Self.modify(shared, Self.zone(guest, "None"), save).body["ckErrorCode"] == 26)
            #expect(try await Self.modify(shared, ["zoneName": "Lists"], save).body["ckErrorCode"] == 12)
            let accepted = try await guest.with(Header.database, "public").ask(
                .recordsAccept, ["shortGUIDs": [["value": .string(link)]]])
            #expect(accepted["results"]?[0]?["databaseScope"] == "SHARED", "\(accepted.body)")

            let messageID = TestClient.newMessageID()
            let saved = try await Self.modify(shared, zone, save, messageID: messageID)
            #expect(saved["records"]?[0]?["zoneID"]?["ownerRecordName"]?.string == owner.user, "\(saved.body)")
            #expect(try await Self.modify(shared, zone, save, messageID: messageID)["records"] == saved["records"])
            #expect(try await owner.record("Lists", "b")["created"]?["userRecordName"]?.string == guest.user)
            let refused = try await Self.modify(
                shared, zone, Self.operation("create", "c"), Self.operation("update", "diary"),
                Self.operation("delete", "list"), Self.operation("delete", "a"))
            #expect(
                refused["records"]?.array?.map { $0["ckErrorCode"]?.int } == [10, 11, 10, nil], "\(refused.body)")
            let hidden = try await Self.modify(shared, zone, Self.operation("create", "diary", below: "list"))
            #expect(hidden["records"]?[0]?["ckErrorCode"] == 10, "\(hidden.body)")
            #expect(try await owner.record("Lists", "diary").errorCode == nil)

            // The zone is left, and the owner keeps it.
            let zones: JSONValue = ["operations": [["operationType": "delete", "zone": ["zoneID": zone]]]]
            let left = try await shared.ask(.zonesModify, zones)
            #expect(left["zones"]?[0]?["deleted"] == true, "\(left.body)")
            #expect(try await Self.modify(shared, zone, save).body["ckErrorCode"] == 26)
            #expect(try await shared.ask(.zonesModify, zones)["zones"]?[0]?["ckErrorCode"] == 26)
            #expect(try await owner.record("Lists", "b").errorCode == nil)
            let participants = try await owner.record("Lists", "S")["participants"]?.array ?? []
            #expect(participants.map { $0["type"] } == ["OWNER"])
        }
    }
}
