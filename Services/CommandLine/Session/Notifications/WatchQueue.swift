package import AMQPClient
import FoundationEssentials
package import ServiceMessages

/// A consumer's queue of notifications: its bindings are what it hears. Such queues are named `notifications.…`, by which a
/// broker user's rights can tell them.
package struct WatchQueue: Sendable {
    /// The queue.
    package var queue: AMQPQueue
    /// The routing keys it is bound with.
    package var keys: [String]

    /// A queue that lives as long as its connection.
    package static func transient(keys: [String]) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(
                name: "notifications.watch.\(UUID().uuidString.lowercased())", isDurable: false, isExclusive: true,
                isAutoDelete: true),
            keys: keys)
    }

    /// A queue that keeps what comes while nobody is connected, or the broker is away, for as long as `lifetime`.
    package static func durable(_ name: String, keys: [String], lifetime: Duration) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(
                name: name,
                arguments: [
                    // A classic queue loses what it has just confirmed when the broker is stopped: the queue ends, and
                    // RabbitMQ takes an orderly end for a confirmation.
                    "x-queue-type": .string("quorum"), "x-expires": .int64(Int64(lifetime.seconds * 1000)),
                ]), keys: keys)
    }

    /// The queue of a consumer of that name, which outlives the command: it keeps what comes while nobody is there, as
    /// much as the broker's policy lets it. Bindings made by earlier commands stay.
    package static func named(_ consumer: ConsumerName, keys: [String]) -> WatchQueue {
        WatchQueue(
            queue: AMQPQueue(name: consumer.watchQueue, arguments: ["x-queue-type": .string("quorum")]), keys: keys)
    }

    /// The queues and their bindings. The exchange is the services' to declare.
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
