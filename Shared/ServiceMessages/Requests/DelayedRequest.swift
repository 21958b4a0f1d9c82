package import AMQPClient

/// A write that has no reply-to and cannot currently be executed. It waits in the broker, where it does not count
/// towards the service's prefetch, and returns to its queue through ``Exchange/delay``, to which only services may
/// publish.
package enum DelayedRequest {
    /// The routing key with which the write was sent.
    private static let operationHeader = "zonda-delayed-operation"
    /// The broker user that sent the write.
    private static let userHeader = "zonda-delayed-user"
    /// The number of earlier deliveries that did not succeed.
    private static let countHeader = "zonda-delayed-count"

    /// The delay, in seconds.
    package static let seconds = 5
    /// The queue in which the write waits.
    package static var queue: String { Queue.wait(for: Queue.recordWrites, seconds: seconds) }

    /// Returns the message that waits in the broker in place of `delivery`. The sender's user-id and the delivery count
    /// are copied to headers, because the broker would refuse a user-id that is not the service's own and would restart
    /// the delivery count.
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

    /// Returns the request as it was sent originally, marked as redelivered, if `delivery` is a delayed request;
    /// otherwise, returns `delivery`.
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
