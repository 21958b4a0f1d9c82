/// What a channel has to say, once its frames are put together.
enum ChannelEvent: Sendable {
    /// A method that stands for itself.
    case method(Method)
    /// A message: delivered, fetched or returned.
    case content(ContentHeading, AMQPProperties, [UInt8])
}

/// Puts the frames of one channel together: method, then header, then as many bodies as the header's size needs.
///
/// AMQP never interleaves two messages on a channel, so one state is enough. A method may not come between.
struct ChannelAssembly {
    private enum State {
        case idle
        case expectingHeader(ContentHeading)
        case expectingBody(ContentHeading, AMQPProperties, size: Int)
    }

    /// The largest body that RabbitMQ can be configured to take.
    private static let maxBodyBytes: UInt64 = 512 << 20

    private var state = State.idle
    /// What has come of the body. Outside of the state, where taking it out to append would copy it.
    private var body: [UInt8] = []

    /// Takes the channel's next frame.
    ///
    /// - Returns: the event that this frame completes, nil when more frames are needed.
    /// - Throws: `.protocolViolation` when the frame cannot stand here; the connection is of no use then.
    mutating func receive(_ frame: Frame) throws(AMQPError) -> ChannelEvent? {
        switch (state, frame) {
        case (.idle, .method(.content(let heading))):
            state = .expectingHeader(heading)
            return nil
        case (.idle, .method(let method)):
            return .method(method)
        // The broker may give up the channel in the middle of a message.
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
    /// Whether nothing more comes on the channel after this method.
    fileprivate var endsChannel: Bool {
        switch self {
        case .channelClosed, .connectionClosed: true
        default: false
        }
    }
}
