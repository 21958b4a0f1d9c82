import Synchronization

/// The connection state of a client. Any thread can read it, or wait for a connection.
package final class ConnectionStatus: Sendable {
    private typealias Waiter = Completion<Result<UInt64, AMQPError>>

    private struct State {
        var isConnected = false
        /// The number of the last connection that was established.
        var generation: UInt64 = 0
        var hasStarted = false
        var lastError: AMQPError?
        var blockedReason: String?
        var givenUpCount = 0
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// Whether the client is connected.
    var isConnected: Bool {
        state.withLock { $0.isConnected }
    }

    /// The error that ended the last connection or connection attempt. Nil while the client is connected, and before
    /// the first attempt.
    var failure: AMQPError? {
        state.withLock { $0.isConnected ? nil : $0.lastError }
    }

    /// The broker's reason for blocking publishers on this connection; nil while the broker accepts messages.
    var blockedReason: String? {
        state.withLock { $0.blockedReason }
    }

    /// The number of messages that were discarded because they made the broker close connections or channels.
    var givenUpCount: Int {
        state.withLock { $0.givenUpCount }
    }

    func blocked(_ reason: String?) {
        state.withLock { $0.blockedReason = reason }
    }

    func gaveUp() {
        state.withLock { $0.givenUpCount += 1 }
    }

    /// The number of the last connection that was established; 0 before the first.
    var generation: UInt64 {
        state.withLock { $0.generation }
    }

    /// Whether `run()` has been called.
    var hasStarted: Bool {
        state.withLock { $0.hasStarted }
    }

    func started() {
        state.withLock { $0.hasStarted = true }
    }

    func connected(generation: UInt64) {
        let waiters = state.withLock { state in
            state.isConnected = true
            state.blockedReason = nil
            state.generation = generation
            state.lastError = nil
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.complete(.success(generation))
        }
    }

    func disconnected(_ error: AMQPError) {
        let waiters: [Waiter] = state.withLock { state in
            state.isConnected = false
            state.blockedReason = nil
            state.lastError = error
            guard error.code == .closed else {
                return []
            }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.complete(.failure(error))
        }
    }

    /// The error for a wait that timed out. If the client is not connected, the error includes the reason.
    var timeout: AMQPError {
        state.withLock { state in
            guard state.hasStarted else {
                return AMQPError(.notRunning, "the client's run() has not been called")
            }
            let reason = state.lastError.map { "; not connected: \($0)" } ?? ""
            return AMQPError(.timedOut, "no answer in time\(reason)")
        }
    }

    /// Waits for a connection and returns its number.
    ///
    /// - Throws: `.timedOut` with the error of the last attempt, `.notRunning`, `.closed` or `.cancelled`.
    @discardableResult
    func waitUntilConnected(timeout: Duration) async throws(AMQPError) -> UInt64 {
        let waiter = Waiter()
        let timer = Task {
            try await Task.sleep(for: timeout)
            waiter.complete(.failure(self.timeout))
        }
        defer { timer.cancel() }
        return try await connection(after: 0, waiter)
    }

    /// Waits for a connection with a number above `generation` and returns its number.
    ///
    /// - Throws: `.closed` or `.cancelled`.
    func connection(after generation: UInt64) async throws(AMQPError) -> UInt64 {
        try await connection(after: generation, Waiter())
    }

    private func connection(after generation: UInt64, _ waiter: Waiter) async throws(AMQPError) -> UInt64 {
        let early: Result<UInt64, AMQPError>? = state.withLock { state in
            if state.isConnected, state.generation > generation {
                return .success(state.generation)
            }
            if let error = state.lastError, error.code == .closed {
                return .failure(error)
            }
            state.waiters.append(waiter)
            return nil
        }
        if let early {
            return try early.get()
        }
        let result = await waiter.value(whenCancelled: .failure(AMQPError(.cancelled, "the task was cancelled")))
        state.withLock { $0.waiters.removeAll { $0 === waiter } }
        return try result.get()
    }
}
