import CloudKitModel
import CloudKitWire
import ServiceMessages

/// The broker user of a consumer, which may hear what was granted and nothing else.
struct ConsumerUser: Sendable {
    /// Nobody needs more; with these one consumer cannot take the broker's.
    private static let maxConnections = 20
    private static let maxChannels = 200

    /// The virtual host's administration.
    let administration: BrokerAdministration
    /// The user.
    let name: String
    /// Whose it is.
    let consumer: ConsumerName

    /// Makes the user, or gives the one that is there the rights of `grant` only.
    ///
    /// - Parameter password: its new one; nil keeps the one that it has.
    /// - Throws: ``ProvisionError``.
    func make(_ grant: ConsumerGrant, password: String?) async throws {
        if let password { try await administration.putUser(name, Self.json(name, password: password)) }
        try await administration.limit(name, "max-connections", to: Self.maxConnections)
        try await administration.limit(name, "max-channels", to: Self.maxChannels)
        // First what confines: a user without topic permissions may bind with any key.
        try await administration.put("topic-permissions", [name], Self.topicPermission(grant))
        try await administration.put("permissions", [name], Self.permission(of: consumer))
        // Rights are looked at when a queue is bound: what was bound by earlier ones goes.
        try await administration.disconnect(name)
        try await unbind { !grant.allowsBinding($0) }
    }

    /// Removes the user, its connections and its queues, and returns how many queues there were.
    ///
    /// - Throws: ``ProvisionError``.
    func remove() async throws -> Int {
        try await administration.deleteUser(name)
        try await administration.disconnect(name)
        try await unbind { _ in true }
        for exchange in try await names(of: "exchanges") { try await administration.delete("exchanges", [exchange]) }
        let queues = try await names(of: "queues")
        for queue in queues { try await administration.delete("queues", [queue]) }
        return queues.count
    }

    private func names(of kind: String) async throws -> [String] {
        let rows = try await administration.get(kind, [], query: "?columns=name&disable_stats=true")
        return (rows?.array ?? []).compactMap { $0["name"]?.string }.filter { $0.hasPrefix(consumer.queuePrefix) }
    }

    /// Removes bindings of the consumer's queues to the notifications by their keys, and all to where it may publish.
    private func unbind(_ isUnwanted: (String) -> Bool) async throws {
        let bindings = try await administration.get(
            "exchanges", [Exchange.notifications, "bindings", "source"])
        for binding in bindings?.array ?? [] {
            guard let destination = binding["destination"]?.string, let key = binding["routing_key"]?.string,
                let properties = binding["properties_key"]?.string
            else { continue }
            let isOwn = destination.hasPrefix(consumer.queuePrefix)
            guard isOwn && isUnwanted(key) || destination == Exchange.consumers else { continue }
            let kind = binding["destination_type"]?.string == "exchange" ? "e" : "q"
            try await administration.delete(
                "bindings", ["e", Exchange.notifications, kind, destination, properties])
        }
    }

    /// As definitions to be imported, where the broker has no management plugin.
    static func definitions(_ grant: ConsumerGrant, password: String, virtualHost: String) -> JSONValue {
        let place = [
            JSONValue.Member("user", .string(grant.brokerUser)), JSONValue.Member("vhost", .string(virtualHost)),
        ]
        return [
            "users": [
                .object(
                    [JSONValue.Member("name", .string(grant.brokerUser))]
                        + (json(grant.brokerUser, password: password).members ?? []))
            ],
            "topic_permissions": [.object(place + (topicPermission(grant).members ?? []))],
            "permissions": [.object(place + (permission(of: grant.consumer).members ?? []))],
        ]
    }

    /// Only the hash goes to the broker.
    private static func json(_ name: String, password: String) -> JSONValue {
        [
            "password_hash": .string(BrokerDefinitions.hash(password, of: name)),
            "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": "",
        ]
    }

    private static func topicPermission(_ grant: ConsumerGrant) -> JSONValue {
        ["exchange": .string(Exchange.notifications), "write": "^$", "read": .string(grant.bindingPattern)]
    }

    private static func permission(of consumer: ConsumerName) -> JSONValue {
        let rights = BrokerRights.of(consumer)
        return [
            "configure": .string(rights.configure.pattern), "write": .string(rights.write.pattern),
            "read": .string(rights.read.pattern),
        ]
    }
}
