import AMQPClient
import CloudKitWire
import RequestServing
import ServiceMessages
import TestSupport

@testable import AssetService

/// Requests as they arrive from the queue.
enum AssetRequests {
    static let user = "_0123456789abcdef0123456789abcdef"

    /// Returns a request of ``user`` in the private database of the stack's container.
    static func open(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], headers: AMQPTable = [:],
        in database: String = "private"
    ) throws -> OpenedRequest {
        var properties = AMQPProperties(headers: headers)
        properties.headers[Header.container] = .string(AssetStack.container)
        properties.headers[Header.environment] = "development"
        properties.headers[Header.database] = .string(database)
        properties.headers[Header.user] = .string(user)
        return OpenedRequest(
            delivery: AMQPDelivery(
                queue: operation.queue, deliveryTag: 1, exchange: operation.exchange, routingKey: operation.rawValue,
                properties: properties, body: body),
            operation: operation, context: try RequestContext(properties, operation: operation))
    }

    static func open(_ operation: ServiceMessages.Operation, _ body: JSONValue) throws -> OpenedRequest {
        try open(operation, body.encoded())
    }
}

extension Answer {
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
}
