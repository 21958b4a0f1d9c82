/// A message that the broker delivered.
package struct AMQPDelivery: Sendable {
    /// The queue from which the message was consumed.
    package var queue: String
    /// The broker's number for this delivery on its channel; invalid on another connection.
    package var deliveryTag: UInt64
    /// The sequence number, counted from 1, of the client's connection that delivered the message; for an
    /// ``AMQPReading``, the sequence number of the channel. The delivery can be acknowledged only on that connection or
    /// channel.
    package var generation: UInt64
    /// Whether the broker may have delivered this message before.
    package var isRedelivered: Bool
    /// The exchange to which the message was published.
    package var exchange: String
    /// The routing key with which the message was published.
    package var routingKey: String
    /// The message's properties.
    package var properties: AMQPProperties
    /// The content.
    package var body: [UInt8]
    /// The time at which the message was read from the connection.
    package let receivedAt = ContinuousClock.now
    /// The channel within the connection.
    var channel: UInt16

    /// Creates a delivery, for tests of consumers.
    package init(
        queue: String, deliveryTag: UInt64, generation: UInt64 = 0, isRedelivered: Bool = false, exchange: String = "",
        routingKey: String = "", properties: AMQPProperties = AMQPProperties(), body: [UInt8]
    ) {
        self.init(
            queue: queue, channel: 0, deliveryTag: deliveryTag, generation: generation, isRedelivered: isRedelivered,
            exchange: exchange, routingKey: routingKey, properties: properties, body: body)
    }

    init(
        queue: String, channel: UInt16, deliveryTag: UInt64, generation: UInt64, isRedelivered: Bool, exchange: String,
        routingKey: String, properties: AMQPProperties, body: [UInt8]
    ) {
        self.queue = queue
        self.channel = channel
        self.deliveryTag = deliveryTag
        self.generation = generation
        self.isRedelivered = isRedelivered
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
    }

    /// Whether the message was redelivered by a queue that does not count deliveries. Such a queue never gives up on a
    /// message that makes its consumer fail.
    package var hasComeBackUncounted: Bool { isRedelivered && deliveryCount == 0 }

    /// The number of previous unsuccessful deliveries as counted by a quorum queue; 0 for other queues, which do not
    /// count deliveries.
    package var deliveryCount: Int {
        Int(clamping: properties.headers.int64("x-delivery-count") ?? 0)
    }
}
