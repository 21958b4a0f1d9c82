/// An event on a channel, assembled from its frames.
enum ChannelEvent: Sendable {
    /// A method without content.
    case method(Method)
    /// A message: delivered, fetched or returned.
    case content(ContentHeading, AMQPProperties, [UInt8])
}

/// Assembles the frames of one channel: a method, then a header, then body frames up to the header's size.
///
/// AMQP never interleaves two messages on a channel, so one state is enough. No method may arrive in between.
struct ChannelAssembly {
    private enum State {
        case idle
        case expectingHeader(ContentHeading)
        case expectingBody(ContentHeading, AMQPProperties, size: Int)
    }

    /// The largest body, in bytes, that RabbitMQ can be configured to accept.
    private static let maxBodyBytes: UInt64 = 512 << 20

    private var state = State.idle
    /// The part of the body received so far. Kept outside the state, because appending to an extracted payload would
    /// copy it.
    private var body: [UInt8] = []

    /// Processes the channel's next frame.
    ///
    /// - Returns: the event that this frame completes, or nil when more frames are needed.
    /// - Throws: `.protocolViolation` when the frame is out of order; the connection is unusable then.
    mutating func receive(_ frame: Frame) throws(AMQPError) -> ChannelEvent? {
        switch (state, frame) {
        case (.idle, .method(.content(let heading))):
            state = .expectingHeader(heading)
            return nil
        case (.idle, .method(let method)):
            return .method(method)
        // The broker may close the channel in the middle of a message.
        case (_, .method(let method)) where method.endsChannel:
            state = .idle
            body = []
            return .method(method)
        case (.expectingHeader(let heading), .header(let size, let properties)):
            guard size <= Self.maxBodyBytes else {
                throw AMQPError(.protocolViolation, "a body of \(size) bytes was announced")
            }
            guard size > 0 else {
                state = .idle
                return .content(heading, properties, [])
            }
            state = .expectingBody(heading, properties, size: Int(size))
            return nil
        case (.expectingBody(let heading, let properties, let size), .body(let piece)):
            guard piece.count <= size - body.count else {
                throw AMQPError(.protocolViolation, "a body is longer than its header said")
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
            throw AMQPError(.protocolViolation, "a frame came out of order")
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
