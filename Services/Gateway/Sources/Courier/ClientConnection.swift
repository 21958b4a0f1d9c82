internal import CLinux
internal import NIOCore
internal import NIOSSL

/// Observes the connection of a client that is waiting for notifications: whether the connection is still open, and
/// whether the client's host has received the bytes that were written.
///
/// A write succeeds as soon as the kernel has the bytes, even if the client has just terminated. The peer acknowledges
/// the bytes that have arrived, and the kernel reports the number of unacknowledged bytes (`SIOCOUTQ`). Behind a proxy,
/// the peer is the proxy's host.
struct ClientConnection: Sendable {
    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(16)

    private let channel: any Channel

    /// Starts observing the connection of `channel`.
    init(_ channel: any Channel) async throws {
        self.channel = channel
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            guard (try? pipeline.handler(type: ConnectionEndHandler.self)) == nil else { return }
            let end = ConnectionEnd()
            // This handler precedes all others, so that it sees the end of the connection first.
            try pipeline.addHandler(ConnectionEndHandler(end), position: .first)
            // When a client closes TLS cleanly, it announces this within TLS and waits for a response before it closes
            // the connection.
            if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
                try pipeline.addHandler(ConnectionEndHandler(end), position: .after(tls))
            }
        }.get()
    }

    /// Sets the function that is called when the connection breaks, or when the client closes the connection or its
    /// sending half. The function is called once, on the event loop. It replaces any previously set function; nil
    /// removes that function.
    func whenOver(_ act: (@Sendable () -> Void)?) {
        channel.eventLoop.execute { [channel] in
            let watch = try? channel.pipeline.syncOperations.handler(type: ConnectionEndHandler.self)
            guard let watch, channel.isActive else {
                act?()
                return
            }
            watch.end.whenOver(act)
        }
    }

    /// Calls `act` on the event loop after `delay`, unless the returned value is cancelled first.
    func schedule(in delay: Duration, _ act: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(delay)) { act() }
    }

    /// Waits until the client's host has received everything that was written. Returns false after `limit`, or if the
    /// connection is broken.
    func hasReceivedEverything(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        var pause = Self.firstPause
        while true {
            switch await unreceivedBytes() {
            case nil: return false
            case 0: return true
            default: break
            }
            guard ContinuousClock.now < deadline, (try? await Task.sleep(for: pause)) != nil else { return false }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// The number of bytes that the client's host has not acknowledged; nil if the connection is broken.
    private func unreceivedBytes() async -> Int? {
        let bytes: Int? = try? await channel.eventLoop.submit { [channel] () -> Int? in
            guard channel.isActive else { return nil }
            let buffered = try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
            let sent: CInt? = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { zonda_unacknowledged_bytes($0) }
            // A non-TCP socket reports nothing.
            return buffered + max(0, Int(sent ?? 0))
        }.get()
        return bytes
    }
}

/// Calls a function at the end of a connection. It must be used only on the connection's event loop.
private final class ConnectionEnd {
    private var isOver = false
    private var act: (@Sendable () -> Void)?

    func whenOver(_ act: (@Sendable () -> Void)?) {
        if isOver { act?() } else { self.act = act }
    }

    func end() {
        isOver = true
        act?()
        act = nil
    }
}

/// Observes the end of a connection, or of the TLS session within it.
private final class ConnectionEndHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    let end: ConnectionEnd

    init(_ end: ConnectionEnd) { self.end = end }

    func channelInactive(context: ChannelHandlerContext) {
        end.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end.end()
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { end.end() }
        context.fireUserInboundEventTriggered(event)
    }
}
