package import PostgresClient
package import ServiceLifecycle

/// What a service consists of once its database is ready. Constructing it starts nothing.
package struct ServiceParts: Sendable {
    /// In the order in which they start; they stop in reverse.
    package var services: [any Service]
    /// The connections to the broker: without one of them the service is not ready.
    package var clients: [BrokerClient]
    /// The connections to the database beside those of the host, by the names that metrics have for them.
    package var otherPools: [String: PostgresPool]
    /// What else keeps the service from working now, besides the database: a disk.
    package var otherReasonsNotReady: @Sendable () async -> [String]

    /// Parts of that kind.
    package init(
        services: [any Service], clients: [BrokerClient], otherPools: [String: PostgresPool] = [:],
        otherReasonsNotReady: @escaping @Sendable () async -> [String] = { [] }
    ) {
        self.services = services
        self.clients = clients
        self.otherPools = otherPools
        self.otherReasonsNotReady = otherReasonsNotReady
    }

    /// What keeps the service from working now, besides the database.
    package func reasonsNotReady() async -> [String] {
        clients.compactMap(\.reasonNotReady) + (await otherReasonsNotReady())
    }
}
