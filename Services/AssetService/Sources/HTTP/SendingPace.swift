internal import NIOCore

/// Closes the connection of a client whose body dribbles: within a window fewer bytes came than the least rate asks for,
/// although the service was waiting for them. (Where nothing comes at all, the ``ConnectionGuard`` is sooner.)
///
/// It sits in front of the HTTP codec while a body is read, and is gone afterwards: between requests nobody owes bytes.
final class SendingPace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = NIOAny

    /// What is asked of senders.
    struct Limit: Sendable {
        /// 0: any pace will do.
        var bytesPerSecond: Int
        /// The time over which that is looked at.
        var window: Duration
    }

    private let minBytes: Int
    private let window: TimeAmount
    private var received = 0
    /// Whether the service waits for bytes. While it does not, because of its disk, the client is not to blame.
    private var isReading = true
    private var timer: Scheduled<Void>?

    private init(_ limit: Limit) {
        window = TimeAmount(limit.window)
        minBytes = Int(Double(limit.bytesPerSecond) * (limit.window / .seconds(1)))
    }

    /// A body is going to be read.
    static func begin(_ limit: Limit, on channel: any Channel) {
        guard limit.bytesPerSecond > 0 else { return }
        channel.eventLoop.execute {
            // A pipeline that takes no handler any more has no client any more.
            try? channel.pipeline.syncOperations.addHandler(SendingPace(limit), position: .first)
        }
    }

    /// The body has been read, or is not wanted any more.
    static func end(on channel: any Channel) {
        channel.eventLoop.execute {
            guard let context = try? channel.pipeline.syncOperations.context(handlerType: SendingPace.self) else {
                return
            }
            channel.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    private func watch(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: window) { [self] in
            if isReading, received < minBytes { return context.close(promise: nil) }
            received = 0
            watch(context)
        }
    }
}
