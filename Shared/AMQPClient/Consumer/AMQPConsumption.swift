/// One queue to consume.
package struct AMQPConsumption: Sendable {
    /// The queue's name.
    package var queue: String
    /// How many deliveries the broker sends ahead of their acknowledgement; 0 is unlimited.
    package var prefetch: UInt16
    /// Arguments of the consumer, for example `x-stream-offset` or `x-priority`.
    package var arguments: AMQPTable
    /// Whether the broker counts a message as done when it has sent it. Such deliveries are not acknowledged, and
    /// the consumer's byte bound does not see them.
    package var noAck: Bool
    /// Whether no one else may consume the queue at the same time.
    package var isExclusive: Bool

    /// A queue to consume, with acknowledgements.
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
