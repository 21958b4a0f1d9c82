import DequeModule
import Dispatch
import Synchronization

extension PostgresConnection {
    /// Starts closing the connection and returns immediately. Running operations fail with `closed`.
    nonisolated func close() {
        executor.queue.async {
            self.assumeIsolated { $0.close(because: PostgresError(.closed, message: "the connection was closed")) }
        }
    }

    /// Closes the connection and fails all of its operations with the same error.
    func close(because error: PostgresError) {
        guard closeError == nil else { return }
        closeError = error
        idleFlag.store(false, ordering: .releasing)
        reader = nil
        writer = nil
        handle = nil
        cancelHandle = nil
        let operations = [current].compactMap { $0 } + waiting
        current = nil
        waiting = []
        for operation in operations {
            operation.fail(operation.isCancelRequested ? error.asCancelled : error)
            operation.end()
        }
        onClose()
    }

    /// Prepares the connection for its next borrower: waits for running operations, ends an unread stream and rolls
    /// back an open transaction. Cannot be cancelled. Closes the connection if this takes longer than `limit`.
    ///
    /// - Returns: Whether the connection can be leased again.
    func settle(limit: DispatchTimeInterval) async -> Bool {
        if isIdle { return true }
        guard closeError == nil else { return false }
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated {
                $0.close(because: PostgresError(.connectionLost, message: "the connection did not become idle"))
            }
        }
        timer.schedule(deadline: .now() + limit)
        timer.resume()
        defer { timer.cancel() }
        if let current, current.isStream { abandonStream(current.id) }
        if current != nil || isInTransaction {
            _ = await withCheckedContinuation { continuation in
                let rollback = ConnectionOperation(id: makeOperationID(), work: .calls([.rollback])) {
                    continuation.resume(returning: $0)
                }
                enqueue(rollback)
            }
        }
        return isIdle
    }

    private var isIdle: Bool { idleFlag.load(ordering: .acquiring) }

    /// Updates the flag by which code outside the actor checks whether the connection is idle.
    func updateIdleFlag() {
        let isIdle = current == nil && waiting.isEmpty && handle?.transaction == ConnectionHandle.Transaction.none
        idleFlag.store(isIdle, ordering: .releasing)
    }
}

extension PostgresError {
    /// The same failure, as reported to a caller whose task has already been cancelled.
    var asCancelled: PostgresError {
        PostgresError(.cancelled, sqlState: sqlState, message: message, callIndex: callIndex)
    }
}
