package import ServiceLifecycle

/// What a service consists of once its database is ready. Constructing it starts nothing.
package struct ServiceParts: Sendable {
    /// In the order in which they start; they stop in reverse.
    package var services: [any Service]
    /// What keeps the service from working now, besides the database: a broker that is not connected, a disk.
    package var reasonsNotReady: @Sendable () async -> [String]

    /// Parts of that kind.
    package init(services: [any Service], reasonsNotReady: @escaping @Sendable () async -> [String]) {
        self.services = services
        self.reasonsNotReady = reasonsNotReady
    }
}
