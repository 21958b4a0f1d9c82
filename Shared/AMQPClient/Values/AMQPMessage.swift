/// A message to publish.
package struct AMQPMessage: Sendable {
    /// The name of the exchange. An empty name means the default exchange, whose routing keys are queue names.
    package var exchange: String
    /// The routing key, at most 255 bytes of UTF-8.
    package var routingKey: String
    /// The message's properties.
    package var properties: AMQPProperties
    /// The content.
    package var body: [UInt8]
    /// Whether publishing fails if the message cannot be routed to any queue.
    package var isMandatory: Bool

    /// Creates a message.
    package init(
        exchange: String, routingKey: String, properties: AMQPProperties = AMQPProperties(), body: [UInt8],
        isMandatory: Bool = false
    ) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
        self.isMandatory = isMandatory
    }
}

extension AMQPMessage {
    /// The maximum length in bytes of a routing key, a name or a string property.
    package static let maxShortStringBytes = 255

    /// Checks that the message can be encoded and that the broker will accept it. Sending an invalid message would end
    /// the connection, which other messages share.
    ///
    /// - Parameter configuration: its `maxFrameSize` limits the headers, and its `maxMessageBytes` limits the body.
    func validate(for configuration: AMQPConfiguration) throws(AMQPError) {
        guard body.count <= configuration.maxMessageBytes else {
            throw AMQPError(.refused, "the body is longer than \(configuration.maxMessageBytes) bytes")
        }
        try Self.validate(exchange, "exchange")
        try Self.validate(routingKey, "routing key")
        try Self.validate(properties.messageID, "message-id")
        if properties.correlationBytes?.count ?? 0 > Self.maxShortStringBytes {
            throw AMQPError(.refused, "the correlation-id is longer than \(Self.maxShortStringBytes) bytes")
        } else if properties.correlationBytes == nil {
            try Self.validate(properties.correlationID, "correlation-id")
        }
        try Self.validate(properties.replyTo, "reply-to")
        try Self.validate(properties.contentType, "content-type")
        try Self.validate(properties.type, "type")
        try Self.validate(properties.appID, "app-id")
        try Self.validate(properties.userID, "user-id")
        try Self.validate(properties.expiration, "expiration")
        guard properties.headers.hasValidKeys else {
            throw AMQPError(.refused, "a header's name is longer than \(Self.maxShortStringBytes) bytes")
        }
        // Eight short strings, the fixed properties and the frame's own bytes add up to less than 2,100 bytes.
        guard properties.headers.encodedSize + 2100 <= configuration.maxFrameSize else {
            throw AMQPError(.refused, "the headers do not fit in a frame of \(configuration.maxFrameSize) bytes")
        }
    }

    private static func validate(_ string: String?, _ name: String) throws(AMQPError) {
        guard (string?.utf8.count ?? 0) <= maxShortStringBytes else {
            throw AMQPError(.refused, "the \(name) is longer than \(maxShortStringBytes) bytes")
        }
    }
}
