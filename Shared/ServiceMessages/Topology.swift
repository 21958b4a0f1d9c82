package import AMQPClient

/// Every exchange, queue and binding, declared whole and idempotently by each service at start, so that nothing is
/// unroutable because another service has never run. An argument never changes once released: RabbitMQ refuses to
/// declare a queue again with another one. What is configurable belongs into a queue's name or a policy.
package enum Topology {
    /// How often a message may come back before it is dead-lettered. 5 was tried: six lost connections
    /// dead-lettered every prefetched message, healthy ones too.
    package static let deliveryLimit: Int64 = 20

    /// The whole topology.
    package static var all: AMQPTopology {
        var topology = AMQPTopology(exchanges: exchanges, queues: queues, bindings: [])
        for operation in Operation.allCases {
            topology.bindings.append(
                AMQPBinding(queue: operation.queue, exchange: operation.exchange, routingKey: operation.rawValue))
            topology.bindings.append(
                AMQPBinding(queue: Queue.recordDead, exchange: Exchange.dead, routingKey: operation.rawValue))
        }
        topology.bindings += [
            AMQPBinding(queue: Queue.recordReads, exchange: Exchange.unknown, routingKey: ""),
            AMQPBinding(queue: Queue.deadLetters, exchange: Exchange.dead, routingKey: "#"),
        ]
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
            AMQPExchange(name: Exchange.dead, kind: .topic),
        ]
    }

    private static var queues: [AMQPQueue] {
        [
            AMQPQueue(name: Queue.recordWrites, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.recordAdmin, arguments: quorumWithDeadLetters),
            AMQPQueue(name: Queue.recordReads, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.recordInternal, arguments: ["x-dead-letter-exchange": .string(Exchange.dead)]),
            AMQPQueue(name: Queue.recordDead, arguments: ["x-queue-type": .string("quorum")]),
            AMQPQueue(name: Queue.deadLetters, arguments: ["x-queue-type": .string("quorum")]),
        ]
    }

    /// At-least-once dead-lettering needs `reject-publish`; without it RabbitMQ quietly falls back to at-most-once.
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
