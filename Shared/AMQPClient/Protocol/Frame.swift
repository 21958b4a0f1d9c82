/// A frame as it arrived on one channel, without types of the C library.
enum Frame {
    case method(Method)
    /// The properties of the message that the previous method announced, and its body's size in bytes.
    case header(bodySize: UInt64, AMQPProperties)
    /// A part of a body. It is valid only until the connection's buffers are released, so it must be copied.
    case body(UnsafeRawBufferPointer)
}

/// A method that the broker sends unasked, or as a reply that no call waits for.
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
    /// A queue was declared, or it exists.
    case declared
    case channelClosed(replyCode: Int, text: String)
    case connectionClosed(replyCode: Int, text: String)
    case blocked(reason: String)
    case unblocked
    /// A method that this client ignores.
    case other(UInt32)
}

/// The fields of a method that introduces a message.
struct ContentHeading: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case delivered(tag: UInt64, isRedelivered: Bool)
        case fetched(tag: UInt64, isRedelivered: Bool)
        case returned(replyCode: Int, text: String)
    }

    var purpose: Purpose
    var exchange: String
    var routingKey: String
    /// The tag of the consumer that the delivery is for; empty for fetched or returned messages.
    var consumer = ""
}
