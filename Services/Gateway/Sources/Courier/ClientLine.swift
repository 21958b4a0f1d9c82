internal import CLinux
internal import NIOCore
internal import NIOSSL

/// A client's connection, as far as the courier needs to know of it: whether it still stands, and whether the client's
/// host has received what was written to it.
///
/// A write succeeds as soon as the kernel has taken the bytes, also when the client died a moment ago. TCP knows better:
/// the other host acknowledges what has arrived, and the kernel tells how much it has not (`SIOCOUTQ`). With a proxy in
/// between, the other host is the proxy's.
struct ClientLine: Sendable {
    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(16)

    private let channel: any Channel

    /// Watches a connection from now on, until it ends.
    init(_ channel: any Channel) async throws {
        self.channel = channel
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            guard (try? pipeline.handler(type: LineWatch.self)) == nil else { return }
            let end = LineEnd()
            // In front of everything else: it sees the connection's end first.
            try pipeline.addHandler(LineWatch(end), position: .first)
            // Who ends TLS in good order says so within it, and waits for an answer before ending the connection.
            if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
                try pipeline.addHandler(LineWatch(end), position: .after(tls))
            }
        }.get()
    }

    /// Has `act` called once, on the event loop, when the client closes the connection or its half of it, or the
    /// connection breaks. It takes the place of what was given before; nil takes it away.
    func whenOver(_ act: (@Sendable () -> Void)?) {
        channel.eventLoop.execute { [channel] in
            let watch = try? channel.pipeline.syncOperations.handler(type: LineWatch.self)
            guard let watch, channel.isActive else {
                act?()
                return
            }
            watch.end.whenOver(act)
        }
    }

    /// Has `act` called on the event loop after `delay`, unless the result is cancelled before.
    func schedule(in delay: Duration, _ act: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(delay)) { act() }
    }

    /// Whether the client's host has received everything that was written; waits for it, at most `limit`. False as soon
    /// as the connection is broken.
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

    /// The bytes on their way to the client's host; nil when the connection is broken.
    private func unreceivedBytes() async -> Int? {
        let bytes: Int? = try? await channel.eventLoop.submit { [channel] () -> Int? in
            guard channel.isActive else { return nil }
            let buffered = try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
            let sent: CInt? = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { zonda_unacknowledged_bytes($0) }
            // What is no TCP socket has nothing to tell.
            return buffered + max(0, Int(sent ?? 0))
        }.get()
        return bytes
    }
}

/// What is to happen at the end of a connection; on its event loop.
private final class LineEnd {
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

/// Sees the end of a connection, or of what is within it.
private final class LineWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    let end: LineEnd

    init(_ end: LineEnd) { self.end = end }

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
