internal import HTTPServing
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Enforces the limits on the requests of one connection. It closes the connection in three cases: if a request takes
/// too long to arrive, after the response to a request that was not read completely, and at shutdown after all due
/// responses have been sent. (``ConnectionWatch`` limits the number of connections and their speed.)
///
/// It counts the bytes of each body after decompression, before they are queued for the reader.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    /// The body of each request whose response is not complete.
    private var held: CircularBuffer<HeldBody> = []
    /// Whether the head of a request has been read, but not its end.
    private var isReading = false
    /// Whether inbound parts are discarded because the connection is about to close.
    private var isDiscarding = false
    /// Whether the connection closes after the last response that is due.
    private var isLast = false
    /// Whether the response that is being written belongs to no request and is suppressed.
    private var isSuppressing = false
    private var sendingTimer: Scheduled<Void>?
    /// Called when the connection has closed.
    private var onClose: (() -> Void)?
    private var isClosed = false

    /// The part of a request's body that has arrived.
    private struct HeldBody {
        var bytes = 0
        /// The holder to which the bytes are charged. It is empty until the body is admitted. It stays empty for small
        /// bodies, which need no admission (``BodyGate``).
        var holder = Holder()
        var maxBytes: Int
    }

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Sets the function that is called when the connection closes, in place of any earlier function. If the connection
    /// has already closed, the function is called immediately.
    func whenClosed(_ act: @escaping () -> Void) {
        if isClosed { act() } else { onClose = act }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isClosed = true
        onClose?()
        onClose = nil
        sendingTimer?.cancel()
        for body in held { limits.memory.giveBack(body.bytes, of: body.holder) }
        held = []
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            held.append(HeldBody(maxBytes: limits.maxBodyBytes))
            isReading = true
            if request.headerFields[.connection]?.lowercased() == "close" { isLast = true }
            let channel = context.channel
            sendingTimer = context.eventLoop.scheduleTask(in: TimeAmount(limits.sendingTime)) {
                channel.close(promise: nil)
            }
        case .body(let bytes):
            guard let last = held.indices.last else { return }
            guard held[last].bytes + bytes.readableBytes <= held[last].maxBytes else {
                return refuse(context, .tooLarge)
            }
            if let bound = limits.memory.take(bytes.readableBytes, for: held[last].holder) {
                return refuse(context, .noMemory(bound))
            }
            held[last].bytes += bytes.readableBytes
        case .end:
            isReading = false
            sendingTimer?.cancel()
        }
        context.fireChannelRead(data)
    }

    private func refuse(_ context: ChannelHandlerContext, _ refusal: BodyRefusal) {
        isDiscarding = true
        context.fireErrorCaught(refusal)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isDiscarding = true
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            if held.isEmpty { context.close(promise: nil) } else { isLast = true }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Outbound

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        // The body belongs to the request that is being answered, and none of it has arrived yet.
        if let admission = event as? BodyAdmission, let first = held.indices.first, held[first].bytes == 0 {
            held[first].holder = admission.holder
            held[first].maxBytes = admission.maxBytes
        }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var response) = part {
            // Hummingbird writes another response if the bytes after the last request are invalid.
            isSuppressing = held.isEmpty
            if response.headerFields[.connection] == "close" { isLast = true }
            // Requests after this one are not answered.
            if isLast, held.count == 1 { response.headerFields[.connection] = "close" }
            part = .head(response)
        }
        guard !isSuppressing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        guard case .end = part else { return context.write(wrapOutboundOut(part), promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        if let body = held.popFirst() { limits.memory.giveBack(body.bytes, of: body.holder) }
        if isLast, held.isEmpty { closeAfter(promise, context) }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    }

    private func closeAfter(_ written: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        let isClientSending = isReading || isDiscarding
        let channel = context.channel
        isDiscarding = true
        sendingTimer?.cancel()
        written.futureResult.whenComplete { _ in
            guard isClientSending else { return channel.close(promise: nil) }
            channel.closeAfterLingering()
        }
    }
}
