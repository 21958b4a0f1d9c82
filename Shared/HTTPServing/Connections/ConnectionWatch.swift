package import NIOCore
package import NIOHTTPTypes

/// Enforces a ``ConnectionPolicy`` on one connection. It refuses the connection if no permit can be granted. It closes
/// the connection if no data is transferred while the server is waiting for the client, if a request arrives too
/// slowly, or if the client receives a response too slowly.
///
/// Add it after the codec that decodes requests (``handlers(_:)``). It inserts its own meter at the front of the
/// pipeline, next to the socket.
package final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let policy: ConnectionPolicy
    private let meter: TransferMeter
    private var permit: ConnectionPermits.Permit?
    /// The number of requests without a complete response.
    private var waitingCount = 0
    /// Whether the head of a request, but not its end, has been read.
    private var isReading = false

    private init(_ policy: ConnectionPolicy) {
        self.policy = policy
        meter = TransferMeter(policy)
    }

    /// Returns the handlers of one connection, in the order in which they must be added.
    package static func handlers(_ policy: ConnectionPolicy) -> [any ChannelHandler & RemovableChannelHandler] {
        [IdleStateHandler(allTimeout: TimeAmount(policy.stallLimit)), ConnectionWatch(policy)]
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        permit = policy.permits.take(for: channel.remoteAddress?.ipAddress) { channel.close(promise: nil) }
        guard policy.minBytesPerSecond > 0 else { return }
        // Adding a handler fails only if the pipeline is closed, in which case the client is already gone.
        try? context.pipeline.syncOperations.addHandler(meter, position: .first)
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // Closing earlier would have no effect, because the connection would not be set up yet.
        if permit == nil { context.close(promise: nil) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        meter.stop()
        if let permit { policy.permits.giveBack(permit) }
        permit = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            // If the permit was withdrawn before the request arrived, the connection is closed. Clients retry such a
            // request.
            guard permit?.setBusy() == true else { return context.close(promise: nil) }
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
            // The response has been written completely.
            if own.value.waitingCount == 0 { own.value.permit?.setIdle() }
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
    /// The number of bytes that were written but not yet accepted by the socket. Must be read on the channel's event
    /// loop.
    var bufferedBytes: Int { (try? syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0 }
}
