package import NIOCore
package import NIOHTTPTypes

/// Keeps one connection within a ``ConnectionPolicy``: refuses it when there is no place, and closes it when nothing moves on
/// it although it is the client's turn, when a request comes too slowly, or when its answer is taken too slowly.
///
/// It is added behind the codec that makes requests of bytes (``handlers(_:)``), and puts a meter of its own in front of
/// everything else, next to the socket.
package final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let policy: ConnectionPolicy
    private let meter: TransferMeter
    private var place: ConnectionPlaces.Place?
    /// Requests without a whole answer.
    private var waitingCount = 0
    /// Whether a request's head was read and its end was not.
    private var isReading = false

    private init(_ policy: ConnectionPolicy) {
        self.policy = policy
        meter = TransferMeter(policy)
    }

    /// The handlers of one connection, in this order.
    package static func handlers(_ policy: ConnectionPolicy) -> [any ChannelHandler & RemovableChannelHandler] {
        [IdleStateHandler(allTimeout: TimeAmount(policy.stallLimit)), ConnectionWatch(policy)]
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        place = policy.places.take(for: channel.remoteAddress?.ipAddress) { channel.close(promise: nil) }
        guard policy.minBytesPerSecond > 0 else { return }
        // A pipeline that takes no handler any more has no client any more.
        try? context.pipeline.syncOperations.addHandler(meter, position: .first)
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // Not before: a connection that is not set up yet would stay.
        if place == nil { context.close(promise: nil) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        meter.stop()
        if let place { policy.places.giveBack(place) }
        place = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            // It came while the connection was chosen to be closed; clients repeat such a request.
            guard place?.setBusy() == true else { return context.close(promise: nil) }
            waitingCount += 1
            isReading = true
            meter.setReceiving(true)
        case .body: break
        case .end:
            isReading = false
            meter.setReceiving(false)
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        meter.noteSending()
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        waitingCount = max(0, waitingCount - 1)
        promise.futureResult.whenComplete { _ in
            // Nothing of the answer is left here.
            if own.value.waitingCount == 0 { own.value.place?.setIdle() }
        }
        context.write(data, promise: promise)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        let isOurTurn = waitingCount > 0 && !isReading && context.channel.bufferedBytes == 0
        guard !isOurTurn else { return }
        policy.metrics.count(.stalled)
        context.close(promise: nil)
    }
}

extension Channel {
    /// Bytes that were written and that the socket has not taken. On the channel's event loop only.
    var bufferedBytes: Int { (try? syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0 }
}
