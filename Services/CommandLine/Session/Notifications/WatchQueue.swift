package import AMQPClient
import FoundationEssentials
package import ServiceMessages

/// A consumer's notification queue and its bindings. Unless the queue belongs to a named consumer, its name begins with
/// `notifications.`, so that broker permissions can match the name.
package struct WatchQueue: Sendable {
    /// The queue.
    package var queue: AMQPQueue
    /// The routing keys of the queue's bindings.
    package var keys: [String]

    /// Returns a queue that is deleted when its connection is closed.
    package static func transient(keys: [String]) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(
                name: "notifications.watch.\(UUID().uuidString.lowercased())", isDurable: false, isExclusive: true,
                isAutoDelete: true),
            keys: keys)
    }

    /// Returns a queue that keeps notifications for up to `lifetime` while no consumer is connected or the broker is
    /// unavailable.
    package static func durable(_ name: String, keys: [String], lifetime: Duration) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(
                name: name,
                arguments: [
                    // A classic queue can lose messages that were confirmed just before the broker stopped, because
                    // RabbitMQ treats the orderly shutdown of the queue as a confirmation.
                    "x-queue-type": .string("quorum"), "x-expires": .int64(Int64(lifetime.seconds * 1000)),
                ]), keys: keys)
    }

    /// Returns the queue of a named consumer. The queue outlives the command. While no command is running, the queue
    /// keeps notifications within the limits of the broker's policy. Bindings from earlier commands remain.
    package static func named(_ consumer: ConsumerName, keys: [String]) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(name: consumer.watchQueue, arguments: ["x-queue-type": .string("quorum")]), keys: keys)
    }

    /// Returns the topology of the queues and their bindings, without the exchange, which services declare.
    package static func topology(of queues: [WatchQueue]) -> AMQPTopology {
        AMQPTopology(
            queues: queues.map(\.queue),
            bindings: queues.flatMap { queue in
                queue.keys.map {
                    AMQPBinding(queue: queue.queue.name, exchange: Exchange.notifications, routingKey: $0)
                }
            })
    }
}
