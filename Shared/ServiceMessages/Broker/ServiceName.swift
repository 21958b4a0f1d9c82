/// The name of a service. Each operation and most queues belong to one service.
package enum ServiceName: String, Sendable, CaseIterable {
    case record, asset, subscription, gateway

    /// The name of the service's database schema. The gateway's schema is named `account`, because it contains
    /// accounts.
    package var schema: String { self == .gateway ? "account" : rawValue }
}
