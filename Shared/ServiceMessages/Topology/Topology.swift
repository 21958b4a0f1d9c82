package import AMQPClient

/// All exchanges, queues and bindings.
///
/// Setting up the broker declares the whole topology, and can be repeated. Messages can therefore be routed even to the
/// queues of a service that has not run yet. Services are not permitted to declare the topology; they only look up the
/// parts that they need. The arguments of a queue never change once they have been released, because RabbitMQ refuses
/// to declare an existing queue with different arguments. Anything configurable must be part of a queue's name or of a
/// policy.
package enum Topology {
    /// The number of times that a message may return to its queue before it is dead-lettered. With a limit of 5, every
    /// prefetched message would be dead-lettered after six lost connections, even if nothing is wrong with it.
    package static let deliveryLimit: Int64 = 20

    /// The whole topology.
    package static var all: AMQPTopology {
        var topology = AMQPTopology(exchanges: exchanges, queues: queues, bindings: [])
        for operation in Operation.allCases {
            topology.bindings.append(
                AMQPBinding(queue: operation.queue, exchange: operation.exchange, routingKey: operation.rawValue))
            topology.bindings.append(
                AMQPBinding(
                    queue: Queue.dead(operation.service), exchange: Exchange.dead, routingKey: operation.rawValue))
        }
        for shard in 0..<RoutingKey.shardCount {
            topology.bindings.append(
                AMQPBinding(
                    queue: Queue.subscriptionChanges(shard), exchange: Exchange.changes,
                    routingKey: "\(RoutingKey.shardPart(shard)).#"))
        }
        // The subscription service looks up zones and the asset service looks up records. These services are not
        // permitted to publish users' requests.
        topology.bindings += [Operation.zonesLookup, .recordsLookup].map {
            AMQPBinding(queue: Queue.recordInternal, exchange: Exchange.internal, routingKey: $0.rawValue)
        }
        topology.bindings += [
            AMQPBinding(queue: Queue.recordReads, exchange: Exchange.unknown, routingKey: ""),
            AMQPBinding(
                queue: Queue.assetChanges, exchange: Exchange.changes, routingKey: RoutingKey.droppedAssets),
            AMQPBinding(queue: Queue.assetJobs, exchange: Exchange.delay, routingKey: Queue.assetJobs),
            AMQPBinding(queue: Queue.recordWrites, exchange: Exchange.delay, routingKey: Queue.recordWrites),
            AMQPBinding(queue: Queue.notificationsLog, exchange: Exchange.notifications, routingKey: "#"),
            AMQPBinding(queue: Queue.subscriptionDrops, exchange: Exchange.drops, routingKey: ""),
            AMQPBinding(queue: Queue.deadLetters, exchange: Exchange.dead, routingKey: "#"),
        ]
        let delayedWrites = wait(for: Queue.recordWrites, seconds: DelayedRequest.seconds)
        topology.queues += delayedWrites.queues
        topology.bindings += delayedWrites.bindings
        return topology
    }

    private static var exchanges: [AMQPExchange] {
        let alternate: AMQPTable = ["alternate-exchange": .string(Exchange.unknown)]
        return [
            AMQPExchange(name: Exchange.unknown, kind: .fanout),
            AMQPExchange(name: Exchange.requests, kind: .direct, arguments: alternate),
            AMQPExchange(name: Exchange.admin, kind: .direct, arguments: alternate),
            AMQPExchange(name: Exchange.internal, kind: .direct, arguments: alternate),
            AMQPExchange(name: Exchange.changes, kind: .topic),
            AMQPExchange(name: Exchange.notifications, kind: .topic),
            // This exchange has no alternate exchange, because a user that is allowed to publish to it can also bind it
            // to the exchange of the notifications. An alternate exchange would then route the notifications into a
            // request queue; without one, they are dropped.
            AMQPExchange(name: Exchange.consumers, kind: .direct),
            AMQPExchange(name: Exchange.drops, kind: .fanout),
            AMQPExchange(name: Exchange.dead, kind: .topic),
            AMQPExchange(name: Exchange.delay, kind: .direct),
        ]
    }

    private static var queues: [AMQPQueue] {
        [
            AMQPQueue(name: Queue.recordWrites, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.recordAdmin, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.recordReads, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.recordQueries, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.recordInternal, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.assetRequests, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.assetPuts, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.assetAdmin, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.assetChanges, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.assetJobs, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.subscriptionRequests, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.subscriptionAdmin, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.subscriptionInternal, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.subscriptionReplays, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.subscriptionDrops, arguments: boundedCounts),
            AMQPQueue(name: Queue.gatewayAdmin, arguments: quorumWithDeadLetters),
            AMQPQueue(
                name: Queue.notificationsLog,
                arguments: ["x-queue-type": .string("stream"), "x-stream-max-segment-size-bytes": .int64(50_000_000)]),
            AMQPQueue(name: Queue.deadLetters, arguments: ["x-queue-type": .string("quorum")]),
        ]
            + ServiceName.allCases.map { service in
                AMQPQueue(name: Queue.dead(service), arguments: ["x-queue-type": .string("quorum")])
            }
            + (0..<RoutingKey.shardCount).map { shard in
                AMQPQueue(name: Queue.subscriptionChanges(shard), arguments: shardArguments)
            }
    }

    /// The arguments of a shard's queue. Only one instance at a time consumes from it, which preserves the order of a
    /// zone's changes.
    private static var shardArguments: AMQPTable {
        var arguments = quorumWithDeadLetters
        arguments["x-single-active-consumer"] = .bool(true)
        return arguments
    }

    /// Returns the exchanges and queues that a service looks up before it starts to work.
    package static func needed(by service: ServiceName) -> AMQPTopology {
        let rights = BrokerRights.of(service)
        return AMQPTopology(
            expectedExchanges: rights.write.names.filter { $0 != BrokerRights.defaultExchange },
            expectedQueues: Queue.consumed(by: service))
    }

    /// Returns a wait queue and its binding. If the delay is a setting of a service, that service declares the queue.
    ///
    /// A message published to ``Exchange/delay`` with the wait queue's name as the routing key is delivered to `queue`
    /// after `seconds` seconds.
    package static func wait(for queue: String, seconds: Int) -> AMQPTopology {
        let name = Queue.wait(for: queue, seconds: seconds)
        return AMQPTopology(
            queues: [
                AMQPQueue(
                    name: name,
                    arguments: [
                        "x-queue-type": .string("quorum"),
                        "x-message-ttl": .int64(Int64(seconds) * 1000),
                        "x-dead-letter-exchange": .string(Exchange.delay),
                        "x-dead-letter-routing-key": .string(queue),
                        "x-dead-letter-strategy": .string("at-least-once"),
                        "x-overflow": .string("reject-publish"),
                    ])
            ],
            bindings: [AMQPBinding(queue: name, exchange: Exchange.delay, routingKey: name)])
    }

    /// Returns the queue of a registered client and its binding. The subscription service declares the queue if it does
    /// not exist.
    ///
    /// If the queue is full, its oldest messages are moved to ``Exchange/drops``. Declare the queue only if it does not
    /// exist, because instances might be configured with different limits.
    package static func client(_ name: String, _ bounds: ClientQueueBounds) -> AMQPTopology {
        let queue = Queue.client(name)
        return AMQPTopology(
            queues: [
                AMQPQueue(
                    name: queue,
                    arguments: [
                        "x-expires": .int64(bounds.expiryMilliseconds),
                        "x-max-length": .int64(Int64(bounds.maxMessages)),
                        "x-max-length-bytes": .int64(Int64(bounds.maxBytes)),
                        "x-overflow": .string("drop-head"),
                        "x-dead-letter-exchange": .string(Exchange.drops),
                    ])
            ],
            bindings: [AMQPBinding(queue: queue, exchange: Exchange.notifications, routingKey: queue)])
    }

    /// The arguments that bound the backlog of dropped notifications while no instance is running, so that the backlog
    /// does not fill the broker. If messages are lost here, the only effect is that a metric is too low.
    private static var boundedCounts: AMQPTable {
        ["x-max-length": .int64(100_000), "x-max-length-bytes": .int64(64 << 20), "x-overflow": .string("drop-head")]
    }

    /// The arguments of a quorum queue with dead-lettering. At-least-once dead-lettering requires `reject-publish`;
    /// without it, RabbitMQ silently falls back to at-most-once.
    private static var quorumWithDeadLetters: AMQPTable {
        [
            "x-queue-type": .string("quorum"),
            "x-delivery-limit": .int64(deliveryLimit),
            "x-dead-letter-exchange": .string(Exchange.dead),
            "x-dead-letter-strategy": .string("at-least-once"),
            "x-overflow": .string("reject-publish"),
        ]
    }
}

/// The limits of a client's queue: its maximum length, and how long it is kept while unused.
package struct ClientQueueBounds: Sendable, Hashable {
    /// How long a queue may go without a consumer, a lookup or a fetch before the broker deletes it.
    package var expiry: Duration
    /// The maximum number of waiting messages.
    package var maxMessages: Int
    /// The maximum total size of the bodies of waiting messages, in bytes.
    package var maxBytes: Int

    /// Creates bounds.
    package init(expiry: Duration, maxMessages: Int, maxBytes: Int) {
        self.expiry = expiry
        self.maxMessages = maxMessages
        self.maxBytes = maxBytes
    }

    fileprivate var expiryMilliseconds: Int64 {
        expiry.components.seconds * 1000 + expiry.components.attoseconds / 1_000_000_000_000_000
    }
}
