package import AMQPClient

/// A write without a reply-to that cannot be executed now: it waits at the broker, outside the service's window, and comes
/// back into its queue over ``Exchange/delay``, to which only services publish.
package enum DelayedRequest {
    /// The routing key with which it was sent.
    private static let operationHeader = "zonda-delayed-operation"
    /// The broker's user that sent it.
    private static let userHeader = "zonda-delayed-user"
    /// How often it was delivered in vain before.
    private static let countHeader = "zonda-delayed-count"

    /// How long it waits, seconds.
    package static let seconds = 5
    /// The queue in which it waits.
    package static var queue: String { Queue.wait(for: Queue.recordWrites, seconds: seconds) }

    /// The message that waits in the place of `delivery`. The broker would check its user-id against the service's own, and
    /// counts its deliveries anew: both travel in headers.
    package static func message(for delivery: AMQPDelivery) -> AMQPMessage {
        var properties = delivery.properties
        for (name, _) in delivery.properties.headers where name.hasPrefix("x-") { properties.headers[name] = nil }
        properties.headers[operationHeader] = .string(delivery.routingKey)
        properties.headers[userHeader] = properties.userID.map { .string($0) }
        properties.headers[countHeader] = .int64(Int64(delivery.deliveryCount))
        (properties.userID, properties.expiration, properties.isPersistent) = (nil, nil, true)
        return AMQPMessage(
            exchange: Exchange.delay, routingKey: queue, properties: properties, body: delivery.body)
    }

    /// The request as it was sent, marked as redelivered, where `delivery` is one that has waited; otherwise `delivery`.
    package static func original(of delivery: AMQPDelivery) -> AMQPDelivery {
        guard delivery.exchange == Exchange.delay, delivery.queue == Queue.recordWrites,
            let operation = delivery.properties.headers.string(operationHeader)
        else { return delivery }
        var original = delivery
        let headers = delivery.properties.headers
        let count = (headers.int64(countHeader) ?? 0) + Int64(delivery.deliveryCount)
        (original.exchange, original.routingKey, original.isRedelivered) = (Exchange.requests, operation, true)
        original.properties.userID = headers.string(userHeader)
        for (name, _) in headers where name.hasPrefix("x-") { original.properties.headers[name] = nil }
        for name in [operationHeader, userHeader, countHeader] {
            original.properties.headers[name] = nil
        }
        original.properties.headers["x-delivery-count"] = count > 0 ? .int64(count) : nil
        return original
    }
}
