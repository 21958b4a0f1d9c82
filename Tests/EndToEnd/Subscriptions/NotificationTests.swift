import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Subscribers to a zone are notified of its changes.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct NotificationTests {
        @Test func zonesMessageTellsWhatChangedAndNoValues() async throws {
            let stack = try SharedStack.current
            let client = stack.client().with(Header.client, "device-7")
            try await client.zones("create", "Notes & Drafts")
            try await stack.withNotifications(ofZone: "Notes & Drafts", of: client) { box in
                _ = try await client.modify(
                    "Notes & Drafts", .operation("create", "a", ["n": 1]), .operation("create", "b", ["n": 2]))
                try await client.delete("Notes & Drafts", "a")
                let deliveries = try await box.wait(for: "two notifications") { $0.count == 2 ? $0 : nil }
                let messages = try deliveries.map { try JSONValue(parsing: $0.body) }
                #expect(messages.map { $0["fromSeq"] } == [1, 3])
                #expect(messages.map { $0["toSeq"] } == [2, 3])
                let records = messages.flatMap { $0["records"]?.array ?? [] }
                #expect(records.map { $0["recordName"] } == ["a", "b", "a"])
                #expect(records.map { $0["recordType"] } == ["Note", "Note", "Note"])
                #expect(records.map { $0["change"] } == ["created", "created", "deleted"])
                for (message, delivery) in zip(messages, deliveries) {
                    #expect(
                        message.members?.map(\.key) == [
                            "id", "container", "environment", "scope", "owner", "zone", "incarnation", "fromSeq",
                            "toSeq", "syncToken", "at", "records",
                        ])
                    #expect(message["container"]?.string == stack.container)
                    #expect(message["owner"]?.string == client.user)
                    #expect(message["zone"] == "Notes & Drafts")
                    #expect(delivery.properties.messageID == message["id"]?.string)
                    #expect(delivery.properties.headers.string(Header.client) == "device-7")
                }
                // From this token, a consumer that has received all notifications so far can continue.
                let token = try #require(messages[0]["syncToken"]?.string)
                let rest = try await client.changes("Notes & Drafts", since: token)
                #expect(rest.recordNames == ["a"])
            }
        }

        @Test func savedSubscriptionFiresFromItsMomentOn() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "before", ["n": 1])
            try await stack.withNotifications(ofSubscription: "inbox", of: client) { box in
                let saved = try await client.subscribe("Notes", "inbox", info: ["alertBody": "Something new"])
                #expect(saved["subscriptionID"] == "inbox")
                #expect(saved["subscriptionType"] == "zone")
                try await client.save("Notes", "after", ["n": 2])
                let message = try JSONValue(parsing: try await box.first("the notification").body)
                #expect(message["records"]?.array?.map { $0["recordName"] } == ["after"])
                #expect(message["ck"]?["fet"]?["sid"] == "inbox")
                #expect(message["ck"]?["fet"]?["zid"] == "Notes")
                #expect(message["ck"]?["fet"]?["dbs"] == 2)
                #expect(message["ck"]?["cid"]?.string == stack.container)
                #expect(message["ck"]?["ckuserid"]?.string == client.user)
                #expect(message["aps"]?["alert"] == "Something new")
                // After its deletion, the subscription no longer fires, but the other one does.
                try await client.subscribe("Notes", "other")
                let gone = try await client.ask(
                    .subscriptionsModify,
                    ["operations": [["operationType": "delete", "subscription": ["subscriptionID": "inbox"]]]])
                #expect(gone["subscriptions"]?[0]?["deleted"] == true)
                try await stack.withNotifications(ofSubscription: "other", of: client) { other in
                    try await client.save("Notes", "later", ["n": 3])
                    _ = try await other.first("the other's notification")
                    #expect(box.elements.count == 1)
                }
            }
        }

        @Test func oneChangeHasTheSameIdentityForAllSubscriptions() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            for id in ["one", "two"] { try await client.subscribe("Notes", id) }
            try await stack.withNotifications(ofSubscription: "one", of: client) { one in
                try await stack.withNotifications(ofSubscription: "two", of: client) { two in
                    try await client.save("Notes", "a", ["n": 1])
                    let first = try JSONValue(parsing: try await one.first("one").body)
                    let second = try JSONValue(parsing: try await two.first("two").body)
                    #expect(first["ck"]?["nid"] == second["ck"]?["nid"])
                    #expect(first["id"] != second["id"])
                }
            }
        }

        @Test func subscriptionsAreListedAndFetchedByTheirOwnerOnly() async throws {
            let stack = try SharedStack.current
            let (client, other) = (stack.client(), stack.client())
            try await client.zones("create", "Notes", "Drafts")
            try await client.subscribe("Notes", "a")
            try await client.subscribe("Drafts", "b")
            let list = try await client.ask(.subscriptionsList)
            #expect(list["subscriptions"]?.array?.compactMap { $0["subscriptionID"]?.string }.sorted() == ["a", "b"])
            #expect(try await other.ask(.subscriptionsList)["subscriptions"] == [])
            let found = try await client.ask(
                .subscriptionsLookup, ["subscriptions": [["subscriptionID": "b"], ["subscriptionID": "nowhere"]]])
            #expect(found["subscriptions"]?[0]?["zoneID"]?["zoneName"] == "Drafts")
            #expect(found["subscriptions"]?[1]?.errorCode == "NOT_FOUND")
            let reply = try await client.ask(.subscriptionsModify, .subscribe("Nowhere", "c"))
            #expect(reply["subscriptions"]?[0]?.errorCode == "ZONE_NOT_FOUND")
        }

        @Test func anEventLostBetweenCommitAndPublishIsReplaced() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            let losing = client.with(Header.fault, "drop-event")
            try await client.zones("create", "Notes", "Drafts")
            try await stack.withNotifications(ofZone: "Notes", of: client) { box in
                try await client.save("Notes", "a", ["n": 1])
                // The next event reveals the gap.
                try await losing.save("Notes", "b", ["n": 2])
                try await client.save("Notes", "c", ["n": 3])
                let names = try await box.names(3)
                #expect(names == ["a", "b", "c"])
            }
            try await stack.withNotifications(ofZone: "Drafts", of: client) { box in
                // No event follows, so only the sweep can find the loss.
                try await losing.save("Drafts", "last", ["n": 1])
                let names = try await box.names(1)
                #expect(names == ["last"])
            }
        }

        @Test func debiansAmqpToolsAreConsumerEnough() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            let address = ZoneAddress(
                container: stack.container, environment: .development, scope: .private, owner: client.user,
                zone: "Notes")
            let consumer = try ChildProcess(
                "/usr/bin/amqp-consume",
                [
                    "--url", stack.vhost.url, "--exchange", Exchange.notifications, "--routing-key",
                    RoutingKey.zoneNotification(address), "--count", "1", "cat",
                ], environment: ProcessInfo.processInfo.environment)
            // The program does not report when it is listening, so changes are made until it has received one.
            let text = try await eventually("amqp-consume prints a notification") {
                try await client.save("Notes", "a", ["n": 1])
                return consumer.exit == nil ? nil : consumer.outputText
            }
            let message = try JSONValue(parsing: text)
            #expect(message["zone"] == "Notes")
            #expect(message["records"]?[0]?["recordName"] == "a")
        }
    }
}

extension TestClient {
    /// Saves a zone subscription.
    ///
    /// - Returns: the subscription in the answer.
    @discardableResult
    func subscribe(_ zone: String, _ id: String, info: JSONValue = [:]) async throws -> JSONValue {
        let reply = try await ask(.subscriptionsModify, .subscribe(zone, id, info: info))
        let saved = try #require(reply["subscriptions"]?[0], "\(reply.body)")
        try #require(saved.errorCode == nil, "\(saved)")
        return saved
    }
}

extension JSONValue {
    /// Returns the body of the `subscriptions.modify` that saves a zone subscription.
    static func subscribe(_ zone: String, _ id: String, info: JSONValue = [:]) -> JSONValue {
        [
            "operations": [
                [
                    "operationType": "create",
                    "subscription": [
                        "subscriptionID": .string(id), "subscriptionType": "zone", "zoneID": .zone(zone),
                        "notificationInfo": info,
                    ],
                ]
            ]
        ]
    }
}

extension ServiceStack {
    /// Collects the notifications of a client's zone while `body` runs.
    func withNotifications<Result: Sendable>(
        ofZone zone: String, of client: TestClient, _ body: (TestMailbox<AMQPDelivery>) async throws -> Result
    ) async throws -> Result {
        let address = ZoneAddress(
            container: container, environment: .development, scope: .private, owner: client.user,
            zone: ZoneName(unchecked: zone))
        return try await TestQueue.withBinding(
            to: Exchange.notifications, RoutingKey.zoneNotification(address), try vhost.configuration(), body)
    }

    /// Collects the notifications of a client's subscription while `body` runs.
    func withNotifications<Result: Sendable>(
        ofSubscription id: String, of client: TestClient, _ body: (TestMailbox<AMQPDelivery>) async throws -> Result
    ) async throws -> Result {
        let key = RoutingKey.userNotification(
            container: container, environment: .development, user: client.user, subscriptionID: id)
        return try await TestQueue.withBinding(to: Exchange.notifications, key, try vhost.configuration(), body)
    }
}

extension TestMailbox<AMQPDelivery> {
    /// Returns the names of the first `count` records in notifications, in order.
    func names(_ count: Int) async throws -> [String] {
        try await wait(for: "\(count) changes") { deliveries -> [String]? in
            let names = deliveries.flatMap { delivery in
                ((try? JSONValue(parsing: delivery.body))?["records"]?.array ?? []).compactMap {
                    $0["recordName"]?.string
                }
            }
            return names.count >= count ? names : nil
        }
    }
}
