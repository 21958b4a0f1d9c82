/// The names of Zonda's exchanges (`deploy/docs/messages.md`). All are durable. Each comment ends with the exchange's
/// type.
package enum Exchange {
    /// Users' requests, with the operation as the routing key; direct.
    package static let requests = "zonda.requests"
    /// Operators' requests; direct.
    package static let admin = "zonda.admin"
    /// Requests between services; direct.
    package static let `internal` = "zonda.internal"
    /// Committed changes (``ChangeEvent``); topic.
    package static let changes = "zonda.changes"
    /// Notifications for consumers; topic.
    package static let notifications = "zonda.notifications"
    /// Requests from consumers that were granted zones (``Operation/notificationsReplay``); direct.
    package static let consumers = "zonda.consumers"
    /// Notifications dropped because a registered client's queue was full; fanout.
    package static let drops = "zonda.drops"
    /// Rejected and undeliverable messages, with their original routing keys; topic.
    package static let dead = "zonda.dead"
    /// Delayed messages, which arrive from the wait queues through dead-lettering; direct.
    package static let delay = "zonda.delay"
    /// Requests with an unknown operation, which are answered with an error instead of being lost. This is the
    /// alternate exchange of the request exchanges; fanout.
    package static let unknown = "zonda.unknown"
}

/// The names of Zonda's queues. Most comments end with the queue's type.
package enum Queue {
    /// Users' writes; quorum.
    package static let recordWrites = "record.writes"
    /// Users' reads, and requests with an unknown operation; classic, because callers retry a lost read.
    package static let recordReads = "record.reads"
    /// Users' queries, which can take longer than other reads; classic.
    package static let recordQueries = "record.queries"
    /// Operators' requests to the record service; quorum.
    package static let recordAdmin = "record.admin"
    /// Other services' requests to the record service; classic.
    package static let recordInternal = "record.internal"
    /// Users' requests to the asset service; quorum.
    package static let assetRequests = "asset.requests"
    /// Uploads that are sent in messages; classic, because callers retry a lost upload.
    package static let assetPuts = "asset.puts"
    /// Operators' requests to the asset service; quorum.
    package static let assetAdmin = "asset.admin"
    /// Changes that dropped references to assets; quorum.
    package static let assetChanges = "asset.changes"
    /// Deletion jobs that are due; quorum.
    package static let assetJobs = "asset.jobs"
    /// Users' requests to the subscription service; quorum.
    package static let subscriptionRequests = "subscription.requests"
    /// Operators' requests to the subscription service; quorum.
    package static let subscriptionAdmin = "subscription.admin"
    /// Other services' requests to the subscription service; quorum, because a request to forget clients must not be
    /// lost.
    package static let subscriptionInternal = "subscription.internal"
    /// Operators' requests to the gateway, about users, API tokens and keys; quorum.
    package static let gatewayAdmin = "gateway.admin"
    /// Replay requests from consumers that were granted zones; classic, because callers retry a lost request.
    package static let subscriptionReplays = "subscription.replays"
    /// Notifications dropped because a registered client's queue was full; classic, because they are only counted.
    package static let subscriptionDrops = "subscription.drops"
    /// All recent notifications, for operators and replays; a stream, whose retention is set by a policy.
    package static let notificationsLog = "notifications.log"
    /// Returns the queue of the registered client with this name.
    package static func client(_ name: String) -> String { "\(clients)\(name)" }
    /// The name prefix of registered clients' queues.
    package static let clients = "client."
    /// The name prefix of consumers' queues (see ``ConsumerName``).
    package static let consumers = "consumer."
    /// Returns the queue for the changes of one shard, `subscription.changes.00` to `.15`; quorum, with a single active
    /// consumer.
    package static func subscriptionChanges(_ shard: Int) -> String {
        "subscription.changes.\(RoutingKey.shardPart(shard))"
    }
    /// Returns the queue of a service's dead-lettered requests. The service answers the waiting callers of these
    /// requests; quorum.
    package static func dead(_ service: ServiceName) -> String { "\(service.rawValue).dead" }
    /// Returns the queue in which messages wait for `seconds` seconds before ``Exchange/delay`` routes them to `queue`;
    /// quorum. The time is part of the name because the arguments of a queue cannot be changed.
    package static func wait(for queue: String, seconds: Int) -> String { "\(waits(for: queue))\(seconds)s" }
    /// Returns the name prefix of the wait queues for a queue.
    static func waits(for queue: String) -> String { "\(queue).wait." }
    /// All dead-lettered messages, for operators; quorum.
    package static let deadLetters = "dead-letters"

    /// Returns the queues that a service consumes.
    package static func consumed(by service: ServiceName) -> [String] {
        let own =
            switch service {
            case .record: [recordWrites, recordReads, recordQueries, recordAdmin, recordInternal]
            case .asset: [assetRequests, assetPuts, assetAdmin, assetChanges, assetJobs]
            case .subscription:
                [
                    subscriptionRequests, subscriptionAdmin, subscriptionInternal, subscriptionReplays,
                    subscriptionDrops,
                ]
                    + (0..<RoutingKey.shardCount).map { subscriptionChanges($0) }
            case .gateway: [gatewayAdmin]
            }
        return own + [dead(service)]
    }
}
