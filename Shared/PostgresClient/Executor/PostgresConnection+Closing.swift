import DequeModule
import Dispatch
import Synchronization

extension PostgresConnection {
    /// Closes the connection soon; what runs on it fails with `closed`. Does not wait.
    nonisolated func close() {
        executor.queue.async {
            self.assumeIsolated { $0.close(because: PostgresError(.closed, message: "the connection was closed")) }
        }
    }

    /// Ends the connection and everything that waits for it, all with the same error.
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

    /// Makes the connection fit for its next borrower: waits for what still runs, ends a stream that nobody reads and
    /// rolls an open transaction back. Not cancellable; closes the connection when it takes longer than `limit`.
    ///
    /// - Returns: Whether the connection can be lent again.
    func settle(limit: DispatchTimeInterval) async -> Bool {
        if isIdle { return true }
        guard closeError == nil else { return false }
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated {
                $0.close(because: PostgresError(.connectionLost, message: "the connection did not come to rest"))
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

    /// Writes down whether the connection is idle, for those who ask from outside the actor.
    func updateIdleFlag() {
        let isIdle = current == nil && waiting.isEmpty && handle?.transaction == ConnectionHandle.Transaction.none
        idleFlag.store(isIdle, ordering: .releasing)
    }
}

extension PostgresError {
    /// The same trouble seen by a caller who had already given up.
    var asCancelled: PostgresError {
        PostgresError(.cancelled, sqlState: sqlState, message: message, callIndex: callIndex)
    }
}
