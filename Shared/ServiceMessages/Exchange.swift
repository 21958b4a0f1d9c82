/// The exchanges of Zonda (`deploy/docs/messages.md`); all are durable.
package enum Exchange {
    /// Users' requests, direct: the routing key is the operation.
    package static let requests = "zonda.requests"
    /// Operators' requests, direct.
    package static let admin = "zonda.admin"
    /// Requests between services, direct.
    package static let `internal` = "zonda.internal"
    /// What was committed, topic: see ``ChangeEvent``.
    package static let changes = "zonda.changes"
    /// Notifications for consumers, topic.
    package static let notifications = "zonda.notifications"
    /// What consumers who were granted zones may ask for, direct: see ``Operation/notificationsReplay``.
    package static let consumers = "zonda.consumers"
    /// Notifications that registered clients' queues had no room for, fanout.
    package static let drops = "zonda.drops"
    /// Rejected or undeliverable messages under their original routing key, topic.
    package static let dead = "zonda.dead"
    /// Wake-ups: messages come out of a wait queue here, direct.
    package static let delay = "zonda.delay"
    /// Requests whose operation nobody serves (the alternate exchange of the request exchanges), fanout: they are
    /// answered with an error instead of vanishing.
    package static let unknown = "zonda.unknown"
}

/// The queues of Zonda.
package enum Queue {
    /// Users' writes; quorum.
    package static let recordWrites = "record.writes"
    /// Users' reads, and requests whose operation nobody serves; classic: a lost read is asked again.
    package static let recordReads = "record.reads"
    /// Users' queries, which may take longer than other reads; classic.
    package static let recordQueries = "record.queries"
    /// Operators' requests to the record service; quorum.
    package static let recordAdmin = "record.admin"
    /// Other services' requests to the record service; classic.
    package static let recordInternal = "record.internal"
    /// Users' requests to the asset service; quorum.
    package static let assetRequests = "asset.requests"
    /// Uploads in a message; classic: a lost one is sent again.
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
    /// Other services' requests to the subscription service; quorum: what has to be forgotten must not be lost.
    package static let subscriptionInternal = "subscription.internal"
    /// Operators' requests to the gateway: users, API tokens, keys; quorum.
    package static let gatewayAdmin = "gateway.admin"
    /// What granted consumers ask for; classic: a lost one is asked again.
    package static let subscriptionReplays = "subscription.replays"
    /// Notifications that registered clients' queues had no room for; classic: they are counted.
    package static let subscriptionDrops = "subscription.drops"
    /// Every notification of the recent past, for operators and replays; a stream whose retention a policy sets.
    package static let notificationsLog = "notifications.log"
    /// The queue of a registered client, by its name; see `client.`.
    package static func client(_ name: String) -> String { "\(clients)\(name)" }
    /// How the names of registered clients' queues begin.
    package static let clients = "client."
    /// How the names of consumers' queues begin: see ``ConsumerName``.
    package static let consumers = "consumer."
    /// The changes of one shard of the zones, `subscription.changes.00` to `.15`; quorum, single active consumer.
    package static func subscriptionChanges(_ shard: Int) -> String {
        "subscription.changes.\(RoutingKey.shardPart(shard))"
    }
    /// Dead-lettered requests to a service, so that a waiting caller is answered; quorum.
    package static func dead(_ service: ServiceName) -> String { "\(service.rawValue).dead" }
    /// Where messages wait so many seconds before they come out at ``Exchange/delay`` as `queue`'s; quorum. The time is
    /// in the name, because an argument of a queue cannot be changed.
    package static func wait(for queue: String, seconds: Int) -> String { "\(waits(for: queue))\(seconds)s" }
    /// How the names of a queue's wait queues begin.
    static func waits(for queue: String) -> String { "\(queue).wait." }
    /// Everything dead-lettered, for operators; quorum.
    package static let deadLetters = "dead-letters"

    /// The queues from which a service takes messages.
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
