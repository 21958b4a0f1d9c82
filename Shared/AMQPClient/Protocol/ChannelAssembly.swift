/// An event on a channel, assembled from its frames.
enum ChannelEvent: Sendable {
    /// A method without content.
    case method(Method)
    /// A message that was delivered, fetched or returned.
    case content(ContentHeading, AMQPProperties, [UInt8])
}

/// Assembles the frames of one channel into events. A message consists of a method, a header, and body frames up to the
/// size that the header announces.
///
/// One state is enough, because AMQP does not allow other messages or methods between the frames of a message on the
/// same channel.
struct ChannelAssembly {
    private enum State {
        case idle
        case expectingHeader(ContentHeading)
        case expectingBody(ContentHeading, AMQPProperties, size: Int)
    }

    /// The largest body, in bytes, that RabbitMQ can be configured to accept.
    private static let maxBodyBytes: UInt64 = 512 << 20

    private var state = State.idle
    /// The part of the body received so far. Kept outside `state`, because appending to an associated value that was
    /// extracted would copy it.
    private var body: [UInt8] = []

    /// Processes the channel's next frame.
    ///
    /// - Returns: the event that this frame completes, or nil if more frames are needed.
    /// - Throws: `.protocolViolation` if the frame is out of order or the body is too large. The connection is then
    ///   unusable.
    mutating func receive(_ frame: Frame) throws(AMQPError) -> ChannelEvent? {
        switch (state, frame) {
        case (.idle, .method(.content(let heading))):
            state = .expectingHeader(heading)
            return nil
        case (.idle, .method(let method)):
            return .method(method)
        // The broker can close the channel in the middle of a message.
        case (_, .method(let method)) where method.endsChannel:
            state = .idle
            body = []
            return .method(method)
        case (.expectingHeader(let heading), .header(let size, let properties)):
            guard size <= Self.maxBodyBytes else {
                throw AMQPError(.protocolViolation, "the broker announced a body of \(size) bytes")
            }
            guard size > 0 else {
                state = .idle
                return .content(heading, properties, [])
            }
            state = .expectingBody(heading, properties, size: Int(size))
            return nil
        case (.expectingBody(let heading, let properties, let size), .body(let piece)):
            guard piece.count <= size - body.count else {
                throw AMQPError(.protocolViolation, "a body is longer than its header announced")
            }
            if body.isEmpty {
                body.reserveCapacity(size)
            }
            body.append(contentsOf: piece)
            guard body.count == size else {
                return nil
            }
            state = .idle
            let whole = body
            body = []
            return .content(heading, properties, whole)
        default:
            throw AMQPError(.protocolViolation, "a frame arrived out of order")
        }
    }
}

extension Method {
    /// Whether this method is the last on its channel.
    fileprivate var endsChannel: Bool {
        switch self {
        case .channelClosed, .connectionClosed: true
        default: false
        }
    }
}
