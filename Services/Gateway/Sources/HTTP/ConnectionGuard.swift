internal import HTTPServing
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Keeps the requests of one connection within their limits: closes it when a request takes too long to come, after a
/// request that was not read to its end, and, in good order, when the server ends. (How many connections there may be, and how
/// fast each has to be, is ``ConnectionWatch``'s.)
///
/// It counts the bytes of bodies before they are queued for whoever reads them, since a compressed body grows before it.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    /// For each request without a whole answer, the bytes of its body.
    private var held: CircularBuffer<HeldBody> = []
    /// Whether a request's head was read and its end was not.
    private var isReading = false
    /// Whether what comes is thrown away: the connection is about to be closed.
    private var isDiscarding = false
    /// Whether the connection ends with the answer that is due.
    private var isLast = false
    /// Whether an answer is written that nobody asked for.
    private var isSwallowing = false
    private var sendingTimer: Scheduled<Void>?
    /// Who wants to know that the connection is gone.
    private var goneAct: (() -> Void)?
    private var isGone = false

    /// The body of a request, as far as it has come.
    private struct HeldBody {
        var bytes = 0
        /// Nobody in particular before it was let in, and for small ones, which need no leave (``BodyGate``).
        var holder = Holder()
        var maxBytes: Int
    }

    init(_ limits: ConnectionLimits) { self.limits = limits }

    /// Has `act` called when the connection is gone, or at once if it is; it takes the place of what was given before.
    func whenGone(_ act: @escaping () -> Void) {
        if isGone { act() } else { goneAct = act }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isGone = true
        goneAct?()
        goneAct = nil
        sendingTimer?.cancel()
        for body in held { limits.memory.giveBack(body.bytes, of: body.holder) }
        held = []
    }

    // MARK: What comes

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

    // MARK: What goes

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        // The body of the request that is being answered, of which nothing has come yet.
        if let admission = event as? BodyAdmission, let first = held.indices.first, held[first].bytes == 0 {
            held[first].holder = admission.holder
            held[first].maxBytes = admission.maxBytes
        }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var response) = part {
            // Hummingbird answers once more when what followed the last request cannot be read.
            isSwallowing = held.isEmpty
            if response.headerFields[.connection] == "close" { isLast = true }
            // What follows this request is not answered any more.
            if isLast, held.count == 1 { response.headerFields[.connection] = "close" }
            part = .head(response)
        }
        guard !isSwallowing else {
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
