import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The common mistakes about subscriptions (semantics, appendix A 15), tested with the real services.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct AppendixASubscriptionTests {
        private static func query(_ id: String, _ more: JSONValue = [:]) -> JSONValue {
            let subscription: [JSONValue.Member] = [
                JSONValue.Member("subscriptionID", .string(id)), JSONValue.Member("subscriptionType", "query"),
                JSONValue.Member("query", ["recordType": "Note", "filterBy": [Self.inbox]]),
            ]
            return [
                "operationType": "create", "subscription": .object(subscription + (more.members ?? [])),
            ]
        }

        private static let inbox: JSONValue = [
            "fieldName": "folder", "comparator": "EQUALS", "fieldValue": ["value": "inbox", "type": "STRING"],
        ]
        private static let always: JSONValue = ["firesOn": ["create", "update", "delete"]]

        /// Returns a client whose zone has a record of the type, so that the schema contains it.
        private func client(_ stack: ServiceStack, container: String? = nil) async throws -> TestClient {
            var client = stack.client().with(Header.client, "laptop")
            if let container { client = client.with(Header.container, .string(container)) }
            try await client.zones("create", "Notes")
            try await client.save("Notes", "first", ["folder": "drafts", "title": "x"])
            return client
        }

        private func save(_ operations: JSONValue..., as client: TestClient) async throws -> [JSONValue] {
            let reply = try await client.ask(.subscriptionsModify, ["operations": .array(operations)])
            return try #require(reply["subscriptions"]?.array, "\(reply.body)")
        }

        @Test func a15_aQueryTellsOfWhatMatchesWithItsFieldsCut() async throws {
            let stack = try SharedStack.current
            let client = try await client(stack)
            let info: JSONValue = [
                "firesOn": ["create", "update", "delete"],
                "notificationInfo": ["additionalFields": ["title", "n"], "shouldBadge": true],
            ]
            let saved = try await save(Self.query("inbox", info), as: client)
            try #require(saved[0].errorCode == nil, "\(saved)")
            try await stack.withNotifications(ofSubscription: "inbox", of: client) { box in
                try await client.save("Notes", "other", ["folder": "drafts", "title": "x"])
                try await client.save(
                    "Notes", "mine", ["folder": "inbox", "title": .string(String(repeating: "ß", count: 101)), "n": 7])
                _ = try await client.modify("Notes", .operation("forceUpdate", "mine", ["folder": "drafts"]))
                _ = try await client.modify("Notes", .operation("forceUpdate", "mine", ["folder": "inbox"]))
                try await client.delete("Notes", "mine")
                let deliveries = try await box.wait(for: "three notifications") { $0.count == 3 ? $0 : nil }
                let bodies = try deliveries.map { try JSONValue(parsing: $0.body) }
                #expect(bodies.map { $0["ck"]?["qry"]?["fo"] } == [1, 2, 3])
                #expect(bodies.map { $0["ck"]?["qry"]?["rid"] } == ["mine", "mine", "mine"])
                #expect(bodies.map { $0["aps"]?["badge"] } == [1, 2, 3])
                let fields = try #require(bodies[0]["ck"]?["qry"]?["af"])
                #expect(fields["title"]?.string == String(repeating: "ß", count: 100))
                #expect(fields["n"] == 7)
                // The value of the record before its deletion.
                #expect(bodies[2]["ck"]?["qry"]?["af"]?["n"] == 7)
            }
        }

        @Test func a15_firesOnceDisappears() async throws {
            let stack = try SharedStack.current
            let client = try await client(stack)
            let once: JSONValue = ["firesOn": ["create"], "firesOnce": true]
            _ = try await save(Self.query("once", once), Self.query("always", Self.always), as: client)
            try await stack.withNotifications(ofSubscription: "once", of: client) { box in
                try await stack.withNotifications(ofSubscription: "always", of: client) { all in
                    for name in ["a", "b", "c"] { try await client.save("Notes", name, ["folder": "inbox"]) }
                    #expect(try await all.names(3) == ["a", "b", "c"])
                    #expect(try await box.names(1) == ["a"])
                    #expect(box.elements.count == 1)
                }
            }
            let list = try await client.ask(.subscriptionsList)
            #expect(list["subscriptions"]?.array?.map { $0["subscriptionID"] } == ["always"])
        }

        @Test func a15_withoutAnyEventAndWithAFourthFieldItIsRefused() async throws {
            let client = try await client(try SharedStack.current)
            let four: JSONValue = [
                "firesOn": ["create"], "notificationInfo": ["additionalFields": ["a", "b", "c", "d"]],
            ]
            let refused = try await save(
                Self.query("a"), Self.query("b", ["firesOn": []]), Self.query("c", four), as: client)
            #expect(refused.map { $0.errorCode } == ["BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST"])
            #expect(
                refused.map { $0["reasonCode"] } == ["fires_on_nothing", "fires_on_nothing", "too_many_desired_keys"])
            #expect(refused[2]["limit"] == 3)
            #expect(try await client.ask(.subscriptionsList)["subscriptions"] == [])
        }

        /// A reset removes the records, the zones and the types, but no subscriptions.
        @Test func aSubscriptionOutlivesAResetOfDevelopment() async throws {
            let stack = try SharedStack.current
            let container = "iCloud.reset.\(TestEnvironment.uniqueName("c"))"
            let admin = stack.client()
            _ = try await admin.ask(.containersCreate, ["container": .string(container)])
            let client = try await self.client(stack, container: container)
            _ = try await save(Self.query("inbox", Self.always), as: client)
            let reset = try await admin.ask(.schemaReset, ["container": .string(container)])
            try #require(reset.status == 200, "\(reset.body)")
            try await client.zones("create", "Notes")
            let key = RoutingKey.userNotification(
                container: container, environment: .development, user: client.user, subscriptionID: "inbox")
            try await TestQueue.withBinding(
                to: Exchange.notifications, key, try stack.vhost.configuration()
            ) { box in
                try await client.save("Notes", "a", ["folder": "inbox"])
                #expect(try await box.names(1) == ["a"])
            }
        }

        /// The notifications that a registered client missed wait in its queue, which does not contain those of its own
        /// changes.
        @Test func a15_theOriginatingClientIsNotNotifiedAndAnotherFindsWhatItMissed() async throws {
            let stack = try SharedStack.current
            let laptop = try await client(stack)
            let phone = laptop.with(Header.client, "phone")
            _ = try await save(Self.query("inbox", Self.always), as: laptop)
            var tokens: [String: JSONValue] = [:]
            for name in ["laptop", "phone"] {
                let made = try await laptop.ask(
                    .tokensCreate, ["apnsEnvironment": "development", "clientId": .string(name)])
                let token = try #require(made["apnsToken"], "\(made.body)")
                tokens[name] = token
            }
            try await stack.withNotifications(ofSubscription: "inbox", of: laptop) { box in
                try await laptop.save("Notes", "a", ["folder": "inbox"])
                try await laptop.save("Notes", "b", ["folder": "inbox"])
                try await phone.save("Notes", "c", ["folder": "inbox"])
                #expect(try await box.names(3) == ["a", "b", "c"])
            }
            for (name, count) in [("laptop", 1), ("phone", 2)] as [(String, JSONValue)] {
                let status = try await laptop.ask(.tokensStatus, ["apnsToken": tokens[name] ?? .null])
                #expect(status["messages"] == count, "\(name)")
                #expect(status["dropped"] == 0)
            }
        }
    }
}
