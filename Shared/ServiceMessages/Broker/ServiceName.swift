/// A service, to which operations and queues belong.
package enum ServiceName: String, Sendable, CaseIterable {
    case record, asset, subscription, gateway

    /// The service's schema in the database. The gateway's is `account`, since it stores accounts.
    package var schema: String { self == .gateway ? "account" : rawValue }
}
