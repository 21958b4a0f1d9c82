import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

/// An owner and two other users, each with a database subscription that watches what the others share, or what the owner
/// has.
struct SharedNotificationScenario: Sendable {
    /// The owner's zone.
    static let zone = "Trips"

    /// A user with the notifications of the user's subscription.
    struct User: Hashable, Sendable {
        /// The user in the private database.
        let client: TestClient
        /// The owner of the zone.
        let owner: String
        /// The user's notifications.
        let box: TestMailbox<AMQPDelivery>

        static func == (left: User, right: User) -> Bool { left.client.user == right.client.user }
        func hash(into hasher: inout Hasher) { hasher.combine(client.user) }
    }

    let owner: User
    let ann: User
    let bob: User

    /// Creates the zone and the subscriptions, and passes the users to `body`.
    ///
    /// - Parameter stack: the services; nil for the shared ones.
    static func run(
        on stack: ServiceStack? = nil, _ body: @escaping @Sendable (SharedNotificationScenario) async throws -> Void
    ) async throws {
        let stack = try stack ?? SharedStack.current
        let (owner, ann, bob) = (stack.client(), stack.client(), stack.client())
        try await owner.zones("create", zone)
        try await subscribe(owner)
        for client in [ann, bob] { try await subscribe(client.with(Header.database, "shared")) }
        try await stack.withNotifications(ofSubscription: "all", of: owner) { ownerBox in
            try await stack.withNotifications(ofSubscription: "all", of: ann) { annBox in
                try await stack.withNotifications(ofSubscription: "all", of: bob) { bobBox in
                    try await body(
                        SharedNotificationScenario(
                            owner: User(client: owner, owner: owner.user, box: ownerBox),
                            ann: User(client: ann, owner: owner.user, box: annBox),
                            bob: User(client: bob, owner: owner.user, box: bobBox)))
                }
            }
        }
    }

    /// Saves a subscription to a database.
    static func subscribe(_ client: TestClient) async throws {
        let subscription: JSONValue = ["subscriptionID": "all", "subscriptionType": "database"]
        let reply = try await client.ask(
            .subscriptionsModify,
            ["operations": [["operationType": "create", "subscription": subscription]]])
        try #require(reply["subscriptions"]?[0]?.errorCode == nil, "\(reply.body)")
    }
}

extension SharedNotificationScenario.User {
    private var shared: TestClient { client.with(Header.database, "shared") }
    private var zoneID: JSONValue {
        ["zoneName": .string(SharedNotificationScenario.zone), "ownerRecordName": .string(owner)]
    }

    /// Saves a record as the owner.
    func save(_ name: String, below parent: String? = nil) async throws {
        var record: [JSONValue.Member] = [
            .init("recordType", "Note"), .init("recordName", .string(name)), .init("fields", [:]),
        ]
        if let parent { record.append(.init("parent", ["recordName": .string(parent)])) }
        // A record that is replaced without a parent loses its parent.
        _ = try await modify("forceReplace", record)
    }

    /// Creates a record and others below it as the owner, in one request.
    func plant(_ root: String, below parent: String, with names: [String]) async throws {
        let operations = zip([root] + names, [parent] + names.map { _ in root }).map { name, parent -> JSONValue in
            [
                "operationType": "create",
                "record": [
                    "recordType": "Note", "recordName": .string(name), "fields": [:],
                    "parent": ["recordName": .string(parent)],
                ],
            ]
        }
        let reply = try await client.ask(.recordsModify, .modify(SharedNotificationScenario.zone, operations))
        for record in try #require(reply["records"]?.array, "\(reply.body)") {
            try #require(record.errorCode == nil, "\(record)")
        }
    }

    /// Creates a share as the owner, and returns its link.
    func share(
        _ name: String, of root: String?, _ participants: [Self: String], publicPermission: String = "NONE"
    ) async throws -> JSONValue {
        var more: [JSONValue.Member] = [.init("publicPermission", .string(publicPermission))]
        if let root { more.append(.init("forRecord", ["recordName": .string(root)])) }
        return try #require(try await modify("create", Self.record(name, participants) + more)["shortGUID"])
    }

    /// Replaces the participants in a share as the owner.
    func change(_ name: String, _ participants: [Self: String]) async throws {
        let tag = try #require(
            try await client.record(SharedNotificationScenario.zone, name)["recordChangeTag"])
        _ = try await modify("update", Self.record(name, participants) + [.init("recordChangeTag", tag)])
    }

    /// Ends a share as the owner.
    func stop(_ name: String) async throws { try await client.delete(SharedNotificationScenario.zone, name) }

    /// Accepts a share.
    func accept(_ link: JSONValue) async throws {
        let reply = try await client.with(Header.database, "public").ask(
            .recordsAccept, ["shortGUIDs": [["value": link]]])
        try #require(reply["results"]?[0]?["participantStatus"] == "ACCEPTED", "\(reply.body)")
    }

    /// Leaves a share.
    func leave(_ name: String) async throws {
        let delete: JSONValue = ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
        let reply = try await shared.ask(.recordsModify, ["zoneID": zoneID, "operations": [delete]])
        try #require(reply["records"]?[0]?["deleted"] == true, "\(reply.body)")
    }

    /// Leaves all shares of the zone.
    func leaveZone() async throws {
        let delete: JSONValue = ["operationType": "delete", "zone": ["zoneID": zoneID]]
        let reply = try await shared.ask(.zonesModify, ["operations": [delete]])
        try #require(reply["zones"]?[0]?["deleted"] == true, "\(reply.body)")
    }

    /// Waits for `count` notifications, and returns the names in each of them, with `+` for a created and `-` for a
    /// deleted record in a user's shared database; `all` if a notification names none.
    func heard(_ count: Int) async throws -> [String] {
        let deliveries = try await box.wait(for: "\(count) notifications") { $0.count >= count ? $0 : nil }
        let isShared = client.user != owner
        return try deliveries.map { delivery in
            let body = try JSONValue(parsing: delivery.body)
            let names = body["records"]?.array?.compactMap { record in
                record["recordName"]?.string.map { name in
                    switch (isShared, record["change"]) {
                    case (true, "created"): "+\(name)"
                    case (true, "deleted"): "-\(name)"
                    default: name
                    }
                }
            }
            return names?.sorted().joined(separator: " ") ?? "all"
        }
    }

    private func modify(_ kind: String, _ record: [JSONValue.Member]) async throws -> JSONValue {
        let reply = try await client.modify(
            SharedNotificationScenario.zone, ["operationType": .string(kind), "record": .object(record)])
        let saved = try #require(reply["records"]?[0], "\(reply.body)")
        try #require(saved.errorCode == nil, "\(saved)")
        return saved
    }

    private static func record(_ name: String, _ participants: [Self: String]) -> [JSONValue.Member] {
        let list = participants.sorted { $0.key.client.user < $1.key.client.user }.map {
            user, permission -> JSONValue in
            [
                "type": "USER", "permission": .string(permission), "acceptanceStatus": "INVITED",
                "userIdentity": ["userRecordName": .string(user.client.user)],
            ]
        }
        return [
            .init("recordType", "cloudkit.share"), .init("recordName", .string(name)), .init("fields", [:]),
            .init("participants", .array(list)),
        ]
    }
}
