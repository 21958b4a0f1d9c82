internal import NIOCore
internal import Synchronization

/// Closes connections that cost without use: those past a number, and those on which nothing moves – a client that
/// stopped in the middle of an upload, one that does not read what it asked for, one that has nothing more to ask.
///
/// (Hummingbird's own time-out does not look at a client that does not read.)
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// How many connections there may be yet.
    final class Places: Sendable {
        private let free: Atomic<Int>

        init(_ count: Int) { free = Atomic(count) }

        /// Takes a place, which is given back in any case; false when there was none.
        fileprivate func take() -> Bool { free.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
        fileprivate func giveBack() { free.wrappingAdd(1, ordering: .relaxed) }
    }

    private let places: Places
    private var hasPlace = false

    private init(_ places: Places) { self.places = places }

    /// The handlers of one connection, closed when for `stallLimit` no byte of a body came or was taken.
    static func handlers(stallLimit: Duration, places: Places) -> [any RemovableChannelHandler] {
        [IdleStateHandler(allTimeout: TimeAmount(stallLimit)), ConnectionGuard(places)]
    }

    func handlerAdded(context: ChannelHandlerContext) { hasPlace = places.take() }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // Not before: a connection that is not set up yet would stay.
        if !hasPlace { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { places.giveBack() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
