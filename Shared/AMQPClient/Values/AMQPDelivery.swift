/// A message that the broker delivered.
package struct AMQPDelivery: Sendable {
    /// The queue it was consumed from.
    package var queue: String
    /// The broker's number of this delivery on its channel; means nothing on another connection.
    package var deliveryTag: UInt64
    /// Which of the client's connections, counted from 1, delivered it: an acknowledgement is good on that one only.
    package var generation: UInt64
    /// Whether the broker may have delivered this message before.
    package var isRedelivered: Bool
    /// The exchange it was published to.
    package var exchange: String
    /// The routing key it was published with.
    package var routingKey: String
    /// The message's properties.
    package var properties: AMQPProperties
    /// The content.
    package var body: [UInt8]
    /// When it came off the connection.
    package let receivedAt = ContinuousClock.now
    /// The channel within the connection.
    var channel: UInt16

    /// A delivery; tests of consumers make their own.
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

    /// Whether it has come back and its queue does not count how often: nothing else ends a message that ends its consumer.
    package var hasComeBackUncounted: Bool { isRedelivered && deliveryCount == 0 }

    /// How often a quorum queue has delivered it in vain before; 0 for other queues, which do not count.
    package var deliveryCount: Int {
        Int(clamping: properties.headers.int64("x-delivery-count") ?? 0)
    }
}
