/// A queue to consume, and the options of its consumer.
package struct AMQPConsumption: Sendable {
    /// The queue's name.
    package var queue: String
    /// The maximum number of unacknowledged deliveries; 0 means unlimited.
    package var prefetch: UInt16
    /// Arguments of the consumer, for example `x-stream-offset` or `x-priority`.
    package var arguments: AMQPTable
    /// Whether the broker considers a message acknowledged as soon as the message has been sent. Such deliveries must
    /// not be acknowledged, and they do not count towards the consumer's `maxHeldBytes`.
    package var noAck: Bool
    /// Whether the consumer has exclusive access to the queue.
    package var isExclusive: Bool

    /// Describes the consumption of a queue. By default, deliveries must be acknowledged.
    package init(
        queue: String, prefetch: UInt16, arguments: AMQPTable = [:], noAck: Bool = false, isExclusive: Bool = false
    ) {
        self.queue = queue
        self.prefetch = prefetch
        self.arguments = arguments
        self.noAck = noAck
        self.isExclusive = isExclusive
    }
}
