package import PostgresClient
package import ServiceLifecycle

/// The parts of a service, created once its database is ready. Creating the parts does not start anything.
package struct ServiceParts: Sendable {
    /// The services, in the order in which they start. They stop in reverse order.
    package var services: [any Service]
    /// The connections to the broker. The service is not ready unless all of them are usable.
    package var clients: [BrokerClient]
    /// The database pools other than the host's own, keyed by their names in the metrics.
    package var otherPools: [String: PostgresPool]
    /// Returns the reasons why the service is not ready, such as a full disk. Excludes reasons that concern the
    /// database or the broker.
    package var otherReasonsNotReady: @Sendable () async -> [String]

    /// Creates the parts.
    package init(
        services: [any Service], clients: [BrokerClient], otherPools: [String: PostgresPool] = [:],
        otherReasonsNotReady: @escaping @Sendable () async -> [String] = { [] }
    ) {
        self.services = services
        self.clients = clients
        self.otherPools = otherPools
        self.otherReasonsNotReady = otherReasonsNotReady
    }

    /// Returns the reasons why the service is not ready, except those that concern the database.
    package func reasonsNotReady() async -> [String] {
        clients.compactMap(\.reasonNotReady) + (await otherReasonsNotReady())
    }
}
