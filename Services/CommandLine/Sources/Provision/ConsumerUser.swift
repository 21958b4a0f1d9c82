import CloudKitModel
import CloudKitWire
import ServiceMessages

/// The broker user of a consumer. Its rights allow it only to receive the granted notifications.
struct ConsumerUser: Sendable {
    /// The maximum number of connections per consumer. This limit and the next one are sufficient for any consumer, and
    /// they prevent a consumer from exhausting the broker's own limits.
    private static let maxConnections = 20
    private static let maxChannels = 200

    /// The administration of the virtual host.
    let administration: BrokerAdministration
    /// The user.
    let name: String
    /// The consumer.
    let consumer: ConsumerName

    /// Creates the user, or replaces its rights with those of `grant`.
    ///
    /// - Parameter password: the new password; nil to keep the existing one.
    /// - Throws: ``ProvisionError``.
    func make(_ grant: ConsumerGrant, password: String?) async throws {
        if let password { try await administration.putUser(name, Self.json(name, password: password)) }
        try await administration.limit(name, "max-connections", to: Self.maxConnections)
        try await administration.limit(name, "max-channels", to: Self.maxChannels)
        // The topic permissions are set first, because a user without topic permissions can bind queues with any key.
        try await administration.put("topic-permissions", [name], Self.topicPermission(grant))
        try await administration.put("permissions", [name], Self.permission(of: consumer))
        // The broker checks rights only when a queue is bound, so earlier bindings must be removed.
        try await administration.disconnect(name)
        try await unbind { !grant.allowsBinding($0) }
    }

    /// Deletes the user along with its exchanges and queues, closes its connections, and returns the number of deleted
    /// queues.
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

    /// Removes bindings whose source is the notifications exchange: unwanted bindings to the consumer's queues, and all
    /// bindings to the exchange that consumers can publish to.
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

    /// Returns the user's definitions, for import into a broker without the management plugin.
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

    /// Returns the properties of a user, with the password's hash instead of the password.
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
