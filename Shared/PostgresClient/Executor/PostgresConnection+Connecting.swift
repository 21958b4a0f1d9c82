import Dispatch

extension PostgresConnection {
    /// Connects and applies the configuration's settings. Must be called only once, before any other method.
    ///
    /// Host names are looked up on the connection's queue. `connectTimeout` does not limit the look-up, because libpq
    /// performs it in one blocking call.
    func open() async throws(PostgresError) {
        do throws(PostgresError) {
            let handle = try ConnectionHandle.start(configuration.connectionParameters)
            let deadline =
                DispatchTime.now() + .nanoseconds(Int(configuration.connectTimeout.wholeMilliseconds) * 1_000_000)
            var direction = SocketSource.Direction.write
            connecting: while true {
                try await waitUntilReady(handle.socket, direction, deadline: deadline)
                switch handle.poll() {
                case .needsRead: direction = .read
                case .needsWrite: direction = .write
                case .connected: break connecting
                case .failed: throw handle.connectError()
                }
            }
            cancelHandle = try handle.beginWork()
            self.handle = handle
            watch(reading: true, writing: false)
            try await applySettings()
            updateIdleFlag()
        } catch {
            close(because: error)
            throw error
        }
    }

    /// Applies the settings. Takes one round trip, or none if there are no settings.
    private func applySettings() async throws(PostgresError) {
        let settings = configuration.settings
        guard !settings.isEmpty else { return }
        do {
            _ = try await pipeline(
                settings.map { setting in
                    PostgresCall(
                        PostgresStatement("select set_config($1, $2, false)", isPrepared: false),
                        [.text(setting.name), .text(setting.value)])
                })
        } catch {
            guard error.code == .server else { throw error }
            throw PostgresError(.connectFailed, sqlState: error.sqlState, message: error.message)
        }
    }

    /// Waits for the socket, the deadline or the task's cancellation, whichever comes first.
    private func waitUntilReady(
        _ socket: Int32, _ direction: SocketSource.Direction, deadline: DispatchTime
    ) async throws(PostgresError) {
        let queue = executor.queue
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated {
                $0.endConnectWait(PostgresError(.connectFailed, message: "the connection was not established in time"))
            }
        }
        timer.schedule(deadline: deadline)
        timer.resume()
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connectWaiter = continuation
                connectSource = SocketSource(socket: socket, direction, queue: queue) { [weak self] in
                    self?.assumeIsolated { $0.endConnectWait(nil) }
                }
                if connectSource == nil { endConnectWait(PostgresError(.connectFailed, message: Self.noDescriptor)) }
                if Task.isCancelled { endConnectWait(.cancelledTask) }
            }
        } onCancel: {
            queue.async { self.assumeIsolated { $0.endConnectWait(.cancelledTask) } }
        }
        timer.cancel()
        if let failure { throw failure }
    }

    private func endConnectWait(_ failure: PostgresError?) {
        connectSource = nil
        connectWaiter?.resume(returning: failure)
        connectWaiter = nil
    }
}

extension PostgresError {
    static let cancelledTask = PostgresError(.cancelled, message: "the task was cancelled")
}
