import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Who hears of the changes in a zone from which records are shared (semantics 6, 9 and 11).
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct SharedNotificationTests {
        private static let zone = "Trips"

        private static func participant(_ client: TestClient) -> JSONValue {
            [
                "type": "USER", "permission": "READ_ONLY", "acceptanceStatus": "INVITED",
                "userIdentity": ["userRecordName": .string(client.user)],
            ]
        }

        private static func saveShare(
            _ owner: TestClient, _ kind: String, _ participants: [TestClient], _ more: JSONValue
        ) async throws -> JSONValue {
            let record: [JSONValue.Member] = [
                .init("recordType", "cloudkit.share"), .init("recordName", "S"), .init("fields", [:]),
                .init("participants", .array(participants.map(participant))),
            ]
            let reply = try await owner.modify(
                zone, ["operationType": .string(kind), "record": .object(record + (more.members ?? []))])
            let saved = try #require(reply["records"]?[0], "\(reply.body)")
            try #require(saved.errorCode == nil, "\(saved)")
            return saved
        }

        private static func save(_ owner: TestClient, _ name: String, parent: String? = nil) async throws {
            var record: [JSONValue.Member] = [
                .init("recordType", "Note"), .init("recordName", .string(name)), .init("fields", [:]),
            ]
            if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
            let reply = try await owner.modify(zone, ["operationType": "forceUpdate", "record": .object(record)])
            try #require(reply["records"]?[0]?.errorCode == nil, "\(reply.body)")
        }

        private static func subscribe(_ client: TestClient) async throws {
            let reply = try await client.ask(
                .subscriptionsModify,
                [
                    "operations": [
                        [
                            "operationType": "create",
                            "subscription": ["subscriptionID": "all", "subscriptionType": "database"],
                        ]
                    ]
                ])
            try #require(reply["subscriptions"]?[0]?.errorCode == nil, "\(reply.body)")
        }

        /// The names in each notification; `all` if it names none.
        private static func names(_ deliveries: [AMQPDelivery]) throws -> [String] {
            try deliveries.map { delivery in
                let names = try JSONValue(parsing: delivery.body)["records"]?.array?.compactMap {
                    $0["recordName"]?.string
                }
                return names?.sorted().joined(separator: " ") ?? "all"
            }
        }

        @Test func participantsHearWhileTheyHaveAccess() async throws {
            let stack = try SharedStack.current
            let owner = stack.client()
            let ann = stack.client().with(Header.database, "shared")
            let bob = stack.client().with(Header.database, "shared")
            try await owner.zones("create", Self.zone)
            try await Self.save(owner, "list")
            for client in [owner, ann, bob] { try await Self.subscribe(client) }
            try await stack.withNotifications(ofSubscription: "all", of: ann) { annBox in
                try await stack.withNotifications(ofSubscription: "all", of: bob) { bobBox in
                    try await stack.withNotifications(ofSubscription: "all", of: owner) { ownerBox in
                        let share = try await Self.saveShare(
                            owner, "create", [ann, bob], ["forRecord": ["recordName": "list"]])
                        let link = try #require(share["shortGUID"])
                        for client in [ann, bob] {
                            let accepted = try await client.with(Header.database, "public").ask(
                                .recordsAccept, ["shortGUIDs": [["value": link]]])
                            try #require(accepted["results"]?[0]?["participantStatus"] == "ACCEPTED")
                        }
                        try await Self.save(owner, "secret")
                        try await Self.save(owner, "item", parent: "list")
                        let tag = try #require(try await owner.record(Self.zone, "S")["recordChangeTag"])
                        _ = try await Self.saveShare(owner, "update", [ann], ["recordChangeTag": tag])
                        try await Self.save(owner, "later", parent: "list")

                        let annHeard = try await annBox.wait(for: "Ann's notifications") { $0.count >= 5 ? $0 : nil }
                        #expect(try Self.names(annHeard) == ["all", "S", "item", "S", "later"])
                        let bobHeard = try await bobBox.wait(for: "Bob's notifications") { $0.count >= 3 ? $0 : nil }
                        #expect(try Self.names(bobHeard) == ["all", "item", "all"])
                        let ownerHeard = try await ownerBox.wait(for: "the owner's") { $0.count >= 7 ? $0 : nil }
                        #expect(
                            try Self.names(ownerHeard) == ["S list", "S", "S", "secret", "item", "S", "later"])

                        let last = try JSONValue(parsing: try #require(annHeard.last).body)
                        #expect(last["ck"]?["met"]?["dbs"] == 3)
                        #expect(last["ck"]?["met"]?["zoid"] == .string(owner.user))
                        #expect(last["syncToken"] == nil && last["toSeq"] == nil)
                    }
                }
            }
        }
    }
}
