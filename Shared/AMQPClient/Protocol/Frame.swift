/// A frame as it arrived on one channel, free of the C library's types.
enum Frame {
    case method(Method)
    /// The properties of the message that the last method announced, and its body's size in bytes.
    case header(bodySize: UInt64, AMQPProperties)
    /// A piece of a body; valid only until the connection's buffers are released, so it must be copied.
    case body(UnsafeRawBufferPointer)
}

/// A method that the broker sends without being asked, or whose answer is not waited for.
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
    /// A queue was declared, or is there.
    case declared
    case channelClosed(replyCode: Int, text: String)
    case connectionClosed(replyCode: Int, text: String)
    case blocked(reason: String)
    case unblocked
    /// A method that has no meaning for this client.
    case other(UInt32)
}

/// What a method says about the message that follows it.
struct ContentHeading: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case delivered(tag: UInt64, isRedelivered: Bool)
        case fetched(tag: UInt64, isRedelivered: Bool)
        case returned(replyCode: Int, text: String)
    }

    var purpose: Purpose
    var exchange: String
    var routingKey: String
    /// The tag of the consumer that a delivery is for; empty for what is fetched or returned.
    var consumer = ""
}
