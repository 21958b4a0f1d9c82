import CLinux
import Glibc
import Logging

/// Maintains one connection for a role: connects, reads, lets the role send, sends heartbeats, and reconnects with
/// jittered back-off when the connection is lost.
///
/// The actor runs on the thread that owns the connection. It does its work in `turn()` rather than in actor jobs. The
/// thread calls `turn()` between sleeps, so handling a message requires no actor hop.
actor ConnectionKeeper {
    private enum Connection {
        case absent(retryAt: ContinuousClock.Instant)
        case present(ConnectionHandle, since: ContinuousClock.Instant)
    }

    /// The maximum number of frames read per turn. The limit prevents a high load of incoming frames from delaying
    /// acknowledgements and published messages.
    private static let maxFramesPerTurn = 1024
    /// The library's buffers are released after each body frame of at least this many bytes.
    private static let largePiece = 32 << 10

    private let thread: ConnectionThread
    private let configuration: AMQPConfiguration
    private let status: ConnectionStatus
    private let role: any ConnectionRole
    private let logger: Logger
    private let ended = Completion<Void>()
    private var connection = Connection.absent(retryAt: .now)
    private var assemblies: [UInt16: ChannelAssembly] = [:]
    private var generation: UInt64 = 0
    private var backoff: ReconnectBackoff
    private var random = SystemRandomNumberGenerator()
    private var nextHeartbeat = ContinuousClock.now

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// - Parameter role: the role to serve. After this call, the role is used only on `thread`.
    init(
        thread: ConnectionThread, configuration: AMQPConfiguration, status: ConnectionStatus,
        role: sending any ConnectionRole, logger: Logger
    ) {
        self.thread = thread
        self.configuration = configuration
        self.status = status
        self.role = role
        self.logger = logger
        backoff = ReconnectBackoff(
            minimum: configuration.minReconnectDelay, maximum: configuration.maxReconnectDelay)
    }

    /// Runs until the role is done. Must be called only once.
    func run() async {
        status.started()
        thread.setTurn { [self] in
            assumeIsolated { $0.turn() }
        }
        await ended.value()
    }

    private func turn() -> ConnectionThread.Wait {
        let now = ContinuousClock.now
        do throws(AMQPError) {
            switch connection {
            case .absent(let retryAt) where now < retryAt:
                return rest(until: retryAt, now: now)
            case .absent:
                try connect()
                return ConnectionThread.Wait(deadline: now)
            case .present(let handle, _):
                return try serve(handle, now: now)
            }
        } catch {
            drop(error)
            return ConnectionThread.Wait(deadline: now)
        }
    }

    /// Performs a turn without a connection.
    private func rest(until retryAt: ContinuousClock.Instant, now: ContinuousClock.Instant) -> ConnectionThread.Wait {
        let deadline = role.idle(now: now)
        if role.isDone(now: now, isConnected: false) {
            finish()
            return ConnectionThread.Wait()
        }
        return ConnectionThread.Wait(deadline: earlier(deadline, retryAt))
    }

    /// Performs a turn with a connection: reads, sends, and returns the events to wait for.
    private func serve(
        _ handle: ConnectionHandle, now: ContinuousClock.Instant
    ) throws(AMQPError) -> ConnectionThread.Wait {
        let hasMore = try read(handle)
        let demand = try role.send(on: handle, now: now)
        if role.isDone(now: now, isConnected: true) {
            finish()
            return ConnectionThread.Wait()
        }
        let canRead = role.canRead
        if now >= nextHeartbeat {
            nextHeartbeat = now + configuration.heartbeat / 2
            // The library sends heartbeats only when it reads, so the keeper sends them while the role is not reading.
            if !canRead {
                try handle.sendHeartbeat()
            }
        }
        if demand.isBusy || (canRead && (hasMore || handle.hasBufferedData)) {
            return ConnectionThread.Wait(deadline: now)
        }
        let events = (canRead ? POLLIN : 0) | (demand.wantsToWrite ? POLLOUT : 0)
        return ConnectionThread.Wait(
            // `poll` reports a hang-up even if no events are requested, which would make the thread spin.
            socket: events == 0 ? nil : handle.socket, events: Int16(events),
            deadline: earlier(demand.deadline, nextHeartbeat))
    }

    /// Reads the available frames. Returns true if more frames might be available.
    private func read(_ handle: ConnectionHandle) throws(AMQPError) -> Bool {
        defer {
            handle.releaseBuffers()
            role.didRead()
        }
        for _ in 0..<Self.maxFramesPerTurn {
            guard role.canRead else {
                return true
            }
            guard let (channel, frame) = try handle.receive() else {
                return false
            }
            let event = try assemblies[channel, default: ChannelAssembly()].receive(frame)
            // If the buffers were released only at the end of the turn, all frames of a large message would be in the
            // library's memory at the same time, and the library would keep that memory for the next large message.
            if case .body(let piece) = frame, piece.count >= Self.largePiece { handle.releaseBuffers() }
            guard let event else {
                continue
            }
            if case .method(.connectionClosed(let code, let text)) = event {
                handle.confirmConnectionClose()
                throw AMQPError(.connectionLost, "the broker closed the connection: \(text)", replyCode: code)
            }
            try role.receive(event, on: channel, of: handle)
        }
        return true
    }

    private func connect() throws(AMQPError) {
        let handle = try ConnectionHandle.connect(configuration)
        generation += 1
        // Set before the role is called, so that an error thrown by the role ends the connection in the usual way.
        connection = .present(handle, since: .now)
        assemblies = [:]
        nextHeartbeat = .now + configuration.heartbeat / 2
        try role.open(handle, generation: generation)
        status.connected(generation: generation)
        logger.info("AMQP connected", metadata: metadata)
    }

    private func drop(_ error: AMQPError) {
        if case .present(let handle, let since) = connection {
            if error.code != .connectionLost {
                handle.close()
            }
            // The back-off is not reset after a short-lived connection. Otherwise a connection that keeps being lost
            // shortly after it is opened would be retried with the minimum delay.
            if since.duration(to: .now) > configuration.maxReconnectDelay {
                backoff.reset()
            }
        }
        if role.lost(error) {
            backoff.reset()
        }
        let delay = backoff.next(using: &random)
        connection = .absent(retryAt: .now + delay)
        status.disconnected(error)
        logger.info(
            "AMQP connection lost",
            metadata: metadata.merging(["error": "\(error)", "retry-in": "\(delay)"]) { $1 })
    }

    private func finish() {
        let handle: ConnectionHandle? = if case .present(let handle, _) = connection { handle } else { nil }
        role.end(on: handle)
        handle?.close()
        connection = .absent(retryAt: .now)
        status.disconnected(AMQPError(.closed, "the client has been shut down"))
        thread.setTurn(nil)
        ended.complete(())
    }

    private var metadata: Logger.Metadata {
        [
            "connection": "\(configuration.connectionName)", "broker": "\(configuration)",
            "generation": "\(generation)",
        ]
    }
}
