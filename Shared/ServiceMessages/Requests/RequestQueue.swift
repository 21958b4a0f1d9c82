/// A request queue, the service that consumes it, and the exchange from which it receives requests.
enum RequestQueue: CaseIterable {
    case recordWrites, recordReads, recordQueries, recordAdmin, recordInternal
    case assetRequests, assetPuts, assetAdmin
    case subscriptionRequests, subscriptionAdmin, subscriptionInternal, subscriptionReplays
    case gatewayAdmin

    /// The queue's name in the broker.
    var name: String { entry.name }
    /// The service that consumes the queue.
    var service: ServiceName { entry.service }
    /// The exchange from which the queue receives requests.
    var exchange: String { entry.exchange }

    private var entry: (name: String, service: ServiceName, exchange: String) {
        switch self {
        case .recordWrites: (Queue.recordWrites, .record, Exchange.requests)
        case .recordReads: (Queue.recordReads, .record, Exchange.requests)
        case .recordQueries: (Queue.recordQueries, .record, Exchange.requests)
        case .recordAdmin: (Queue.recordAdmin, .record, Exchange.admin)
        case .recordInternal: (Queue.recordInternal, .record, Exchange.internal)
        case .assetRequests: (Queue.assetRequests, .asset, Exchange.requests)
        case .assetPuts: (Queue.assetPuts, .asset, Exchange.requests)
        case .assetAdmin: (Queue.assetAdmin, .asset, Exchange.admin)
        case .subscriptionRequests: (Queue.subscriptionRequests, .subscription, Exchange.requests)
        case .subscriptionAdmin: (Queue.subscriptionAdmin, .subscription, Exchange.admin)
        case .subscriptionInternal: (Queue.subscriptionInternal, .subscription, Exchange.internal)
        case .subscriptionReplays: (Queue.subscriptionReplays, .subscription, Exchange.consumers)
        case .gatewayAdmin: (Queue.gatewayAdmin, .gateway, Exchange.admin)
        }
    }
}
