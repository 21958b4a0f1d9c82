import DequeModule
import Dispatch
import Synchronization

extension PostgresConnection {
    /// Runs an operation and waits for its end; cancelling the task cancels the operation.
    func run(_ work: ConnectionOperation.Work) async -> Result<[PostgresResult], PostgresError> {
        let id = makeOperationID()
        return await withTaskCancellationHandler {
            if Task.isCancelled { return .failure(.cancelledTask) }
            return await withCheckedContinuation { continuation in
                enqueue(ConnectionOperation(id: id, work: work) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            executor.queue.async { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    /// Starts an operation as soon as those before it have ended.
    func enqueue(_ operation: ConnectionOperation) {
        if let refusal {
            operation.fail(refusal)
            return operation.end()
        }
        idleFlag.store(false, ordering: .releasing)
        if current == nil { start(operation) } else { waiting.append(operation) }
    }

    /// Why no operation can be taken, if so.
    private var refusal: PostgresError? {
        if let closeError { return closeError }
        if handle == nil { return PostgresError(.closed, message: "the connection is not open yet") }
        // Its reader may be the very task that asks, so waiting for it might never end.
        if let current, current.isStream, !current.isAbandoned {
            return PostgresError(.unexpected, message: "rows of an earlier statement are still being read")
        }
        return nil
    }

    private func start(_ operation: ConnectionOperation) {
        current = operation
        advance()
    }

    func socketIsReadable() {
        guard let handle else { return }
        let isAlive = handle.consumeInput()
        advance()
        // What arrived before the end was handled above; it may say why the server ended it.
        if !isAlive || handle.isBad {
            close(because: PostgresError(.connectionLost, message: handle.message))
        }
    }

    /// Does all that can be done without waiting: sends, flushes, takes results, and ends the operation when it is
    /// complete.
    func advance() {
        guard let handle else { return }
        if let current, !current.isSent, !send(current, on: handle) { return }
        let flushed = handle.flush()
        writer?.setActive(flushed == .wouldBlock)
        if let current { receive(current, from: handle) }
        // What the server said before it hung up has been received by now.
        if flushed == .failed { close(because: PostgresError(.connectionLost, message: handle.message)) }
        guard closeError == nil, let current else { return }
        if current.isAnswered {
            finish(current)
        } else if current.isStream {
            // Rows that nobody has fetched yet stay in the socket, where they hold the server up.
            reader?.setActive(current.rows.count < Self.streamRows)
        }
    }

    /// Ends the operation at work, unless a cancel request is under way that could hit the next one.
    private func finish(_ operation: ConnectionOperation) {
        guard !isCancelInFlight else { return }
        if case .script = operation.work, handle?.resumePipelineMode() != true {
            return close(because: PostgresError(.unexpected, message: handle?.message ?? ""))
        }
        current = nil
        reader?.setActive(true)
        updateIdleFlag()
        operation.end()
        if current == nil, let next = waiting.popFirst() { start(next) }
    }

    // MARK: Cancelling

    /// Takes an operation out of the line, or asks the server to stop it. Does nothing when it has already ended.
    func cancel(_ id: UInt64) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            let operation = waiting.remove(at: index)
            operation.fail(.cancelledTask)
            operation.end()
        } else if let current, current.id == id, !current.isCancelRequested {
            current.isCancelRequested = true
            sendCancel(for: current, until: .now + Self.cancelLimit)
        }
    }

    private func sendCancel(for operation: ConnectionOperation, until limit: ContinuousClock.Instant) {
        guard let cancelHandle, !operation.isAnswered else { return }
        guard ContinuousClock.now < limit else {
            return close(because: PostgresError(.connectionLost, message: "the statement could not be cancelled"))
        }
        isCancelInFlight = true
        let id = operation.id
        let queue = executor.queue
        // On a queue of its own kind, because the request connects to the server and waits for it.
        DispatchQueue.global().async {
            cancelHandle.send()
            queue.async { self.assumeIsolated { $0.cancelReturned(for: id, until: limit) } }
        }
    }

    private func cancelReturned(for id: UInt64, until limit: ContinuousClock.Instant) {
        isCancelInFlight = false
        guard let current, current.id == id else { return }
        advance()
        executor.queue.asyncAfter(deadline: .now() + Self.cancelRepeat) { [weak self] in
            self?.assumeIsolated {
                guard let current = $0.current, current.id == id, !$0.isCancelInFlight else { return }
                $0.sendCancel(for: current, until: limit)
            }
        }
    }
}
