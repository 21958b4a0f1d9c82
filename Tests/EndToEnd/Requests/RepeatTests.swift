import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Messages are delivered at least once, but have their effect only once.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct RepeatTests {
        @Test func a18_aRepeatedMessageHasOneEffectAndTheFirstAnswer() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", nil, ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            let second = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            #expect(first.status == 200)
            #expect(first["records"]?[0]?.changeTag != nil)
            #expect(second == first)
            #expect(try await client.changes("Notes").recordNames == first.body.recordNames)
        }

        @Test func repeatAfterALaterWriteDoesNotUndoIt() async throws {
            let client = try await client()
            let operation = JSONValue.operation("forceReplace", "a", ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            try await client.save("Notes", "a", ["n": 2])
            let before = try await client.changes("Notes")
            let second = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            #expect(second == first)
            #expect(try await client.record("Notes", "a").values == ["n": 2])
            #expect(try await client.changes("Notes").syncToken == before.syncToken)
        }

        @Test func repeatedCreateDoesNotRaiseADeletedRecord() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", "a", ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            try await client.delete("Notes", "a")
            let second = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            #expect(second["records"]?[0]?.changeTag == first["records"]?[0]?.changeTag)
            #expect(try await client.record("Notes", "a").errorCode == "NOT_FOUND")
        }

        @Test func repeatedRefusalIsTheSameRefusal() async throws {
            let client = try await client()
            let operation = JSONValue.operation("update", "a", ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            try await client.save("Notes", "a", ["n": 2])
            let second = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            #expect(first["records"]?[0]?.errorCode == "NOT_FOUND")
            #expect(second == first)
        }

        @Test func repeatAfterItsZoneWasDeletedGetsTheFirstAnswer() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", "a", ["n": 1])
            let first = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            try await client.zones("delete", "Notes")
            let second = try await client.modify("Notes", operation, messageID: "m-\(client.user)")
            #expect(first.status == 200)
            #expect(second == first)
        }

        @Test func refusalForWantOfAZoneStandsWhenTheZoneHasCome() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", "a", ["n": 1])
            let first = try await client.modify("Later", operation, messageID: "m-\(client.user)")
            try await client.zones("create", "Later")
            let second = try await client.modify("Later", operation, messageID: "m-\(client.user)")
            #expect(first.body["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(second.status == first.status && second.body["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(try await client.record("Later", "a").errorCode == "NOT_FOUND")
        }

        @Test func copiesUnderWayAtOnceHaveOneEffect() async throws {
            let client = try await client()
            let operation = JSONValue.operation("create", nil, ["n": 1])
            let answers = try await withThrowingTaskGroup(of: TestReply.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await client.modify("Notes", operation, messageID: "m-\(client.user)") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 20)
            #expect(answers.allSatisfy { $0 == answers[0] })
            #expect(try await client.changes("Notes").recordNames.count == 1)
        }

        @Test func sameIdWithAnotherBodyIsRefused() async throws {
            let client = try await client()
            _ = try await client.modify("Notes", .operation("create", "a", ["n": 1]), messageID: "m-\(client.user)")
            let other = try await client.modify(
                "Notes", .operation("create", "b", ["n": 1]), messageID: "m-\(client.user)")
            #expect(other.status == 400)
            #expect(other.body.errorCode == "BAD_REQUEST")
            #expect(other["ckErrorCode"] == 12)
            #expect(other.body.reasonCode == "message_id_reused")
            #expect(try await client.record("Notes", "b").errorCode == "NOT_FOUND")
        }

        /// Two lanes may execute the two messages concurrently.
        @Test func sameIdInTwoZonesAtOnceIsAcceptedOnce() async throws {
            let client = try await client()
            try await client.zones("create", "Other")
            let pairs = 60
            let answers = try await withThrowingTaskGroup(of: (Int, TestReply).self) { group in
                for pair in 0..<pairs {
                    for zone in ["Notes", "Other"] {
                        group.addTask {
                            let operation = JSONValue.operation("create", "r\(pair)", ["n": 1])
                            let id = "m\(pair)-\(client.user)"
                            return (pair, try await client.modify(zone, operation, messageID: id))
                        }
                    }
                }
                return try await group.reduce(into: [Int: [TestReply]]()) { $0[$1.0, default: []].append($1.1) }
            }
            for pair in 0..<pairs {
                let statuses = answers[pair]?.map(\.status).sorted()
                #expect(statuses == [200, 400])
                let refusal = answers[pair]?.first { $0.status == 400 }
                #expect(refusal?.body.reasonCode == "message_id_reused")
            }
            let records = try await client.changes("Notes").recordNames.count
            let others = try await client.changes("Other").recordNames.count
            #expect(records + others == pairs)
        }

        @Test func sameIdOfAnotherUserIsAnotherMessage() async throws {
            let (one, other) = (try await client(), try await client())
            let operation = JSONValue.operation("create", nil, ["n": 1])
            let first = try await one.modify("Notes", operation, messageID: "m-\(one.user)")
            let second = try await other.modify("Notes", operation, messageID: "m-\(one.user)")
            #expect(second["records"]?[0]?.errorCode == nil)
            #expect(second.body.recordNames != first.body.recordNames)
        }

        @Test func repeatedZoneRequestDoesNotUndoALaterOne() async throws {
            let client = try SharedStack.current.client()
            let create: JSONValue = [
                "operations": [["operationType": "create", "zone": ["zoneID": .zone("Notes")]]]
            ]
            let first = try await client.ask(.zonesModify, create, messageID: "m-\(client.user)")
            try await client.zones("delete", "Notes")
            let second = try await client.ask(.zonesModify, create, messageID: "m-\(client.user)")
            #expect(second == first)
            #expect(try await client.ask(.zonesList).body.zoneNames == ["_defaultZone"])
        }

        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }
    }
}
