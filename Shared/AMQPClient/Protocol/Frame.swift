/// A frame received on a channel, without types of the C library.
enum Frame {
    case method(Method)
    /// The body size in bytes and the properties of the message that the previous method announced.
    case header(bodySize: UInt64, AMQPProperties)
    /// A part of a body. It is valid only until the connection's buffers are released, so it must be copied.
    case body(UnsafeRawBufferPointer)
}

/// A method that the broker sends on its own initiative, or as a reply for which no blocking call is waiting.
enum Method: Sendable, Hashable {
    /// A message follows.
    case content(ContentHeading)
    case getEmpty
    case confirmed(tag: UInt64, multiple: Bool)
    case refused(tag: UInt64, multiple: Bool)
    case consuming(consumer: String)
    /// The broker ended the consumer, for example because its queue was deleted.
    case cancelledByBroker(consumer: String)
    case cancelled(consumer: String)
    /// The queue was declared, or it was looked up and exists.
    case declared
    case channelClosed(replyCode: Int, text: String)
    case connectionClosed(replyCode: Int, text: String)
    case blocked(reason: String)
    case unblocked
    /// A method that this client ignores.
    case other(UInt32)
}

/// The fields of a method that announces a message.
struct ContentHeading: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case delivered(tag: UInt64, isRedelivered: Bool)
        case fetched(tag: UInt64, isRedelivered: Bool)
        case returned(replyCode: Int, text: String)
    }

    var purpose: Purpose
    var exchange: String
    var routingKey: String
    /// The tag of the consumer that receives the delivery; empty for fetched or returned messages.
    var consumer = ""
}
