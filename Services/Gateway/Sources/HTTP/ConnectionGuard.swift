internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Keeps one connection within its limits: closes it when there are too many, when nothing moves on it although it is the
/// client's turn, when a request takes too long to come, and, in good order, when the server ends.
///
/// It counts the bytes of bodies before they are queued for whoever reads them, since a compressed body grows before it.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private var hasPlace = false
    /// For each request without a whole answer, the bytes of its body.
    private var held: CircularBuffer<Int> = []
    /// Whether a request's head was read and its end was not.
    private var isReading = false
    /// Whether what comes is thrown away: the connection is about to be closed.
    private var isDiscarding = false
    /// Whether the connection ends with the answer that is due.
    private var isLast = false
    /// Whether an answer is written that nobody asked for.
    private var isSwallowing = false
    /// Writes that the socket has not taken.
    private var pendingWrites = 0
    private var sendingTimer: Scheduled<Void>?
    /// Who wants to know that the connection is gone.
    private var goneAct: (() -> Void)?
    private var isGone = false

    init(_ limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { hasPlace = limits.places.take() }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // Not before: a connection that is not set up yet would stay.
        if !hasPlace { context.close(promise: nil) }
    }

    /// Has `act` called when the connection is gone, or at once if it is; it takes the place of what was given before.
    func whenGone(_ act: @escaping () -> Void) {
        if isGone { act() } else { goneAct = act }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isGone = true
        goneAct?()
        goneAct = nil
        sendingTimer?.cancel()
        limits.memory.giveBack(held.reduce(0, +))
        held = []
        if hasPlace { limits.places.giveBack() }
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            held.append(0)
            isReading = true
            if request.headerFields[.connection]?.lowercased() == "close" { isLast = true }
            let channel = context.channel
            sendingTimer = context.eventLoop.scheduleTask(in: TimeAmount(limits.sendingTime)) {
                channel.close(promise: nil)
            }
        case .body(let bytes):
            guard let last = held.indices.last else { return }
            guard held[last] + bytes.readableBytes <= limits.maxBodyBytes else {
                return refuse(context, .tooLarge)
            }
            guard limits.memory.take(bytes.readableBytes) else { return refuse(context, .noMemory) }
            held[last] += bytes.readableBytes
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
        case is IdleStateHandler.IdleStateEvent:
            let isOurTurn = !held.isEmpty && !isReading && pendingWrites == 0 && !isDiscarding
            if !isOurTurn { context.close(promise: nil) }
        case is ChannelShouldQuiesceEvent:
            if held.isEmpty { context.close(promise: nil) } else { isLast = true }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: What goes

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
        let promise = counted(promise, context)
        guard case .end = part else { return context.write(wrapOutboundOut(part), promise: promise) }
        limits.memory.giveBack(held.popFirst() ?? 0)
        if isLast, held.isEmpty { closeAfter(promise, context) }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    }

    private func counted(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>
    {
        let promise = promise ?? context.eventLoop.makePromise()
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        pendingWrites += 1
        promise.futureResult.whenComplete { _ in own.value.pendingWrites -= 1 }
        return promise
    }

    private func closeAfter(_ written: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        let isClientSending = isReading || isDiscarding
        let channel = context.channel
        isDiscarding = true
        sendingTimer?.cancel()
        written.futureResult.whenComplete { _ in
            guard isClientSending else { return channel.close(promise: nil) }
            channel.eventLoop.scheduleTask(in: TimeAmount(ConnectionLimits.lingering)) { channel.close(promise: nil) }
        }
    }
}
