import DequeModule
import Dispatch
import Synchronization

extension PostgresConnection {
    /// Runs an operation and waits for its end; cancelling the task cancels the operation.
    ///
    /// What can be sent at once is sent on the caller's thread: nothing here waits for the network.
    nonisolated func run(_ work: ConnectionOperation.Work) async -> Result<[PostgresResult], PostgresError> {
        let id = makeOperationID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.perform {
                    // A cancellation comes to the queue either before this, and shows, or after it, and finds the operation.
                    if Task.isCancelled { return continuation.resume(returning: .failure(.cancelledTask)) }
                    assumeIsolated { connection in
                        connection.enqueue(
                            ConnectionOperation(id: id, work: work) { continuation.resume(returning: $0) })
                    }
                }
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
        if let current { receive(current, from: handle) }
        // What the server said before it hung up has been received by now.
        if flushed == .failed { close(because: PostgresError(.connectionLost, message: handle.message)) }
        guard closeError == nil else { return }
        // Rows that nobody has fetched yet stay in the socket, where they hold the server up.
        let isFull = current.map { $0.isStream && !$0.isAnswered && $0.rows.count >= Self.streamRows } ?? false
        watch(reading: !isFull, writing: flushed == .wouldBlock)
        if let current, current.isAnswered { finish(current) }
    }

    /// Has the socket watched in the directions that matter now.
    func watch(reading: Bool, writing: Bool) {
        guard let handle else { return }
        if !reading {
            reader = nil
        } else if reader == nil {
            reader = SocketSource(socket: handle.socket, .read, queue: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.socketIsReadable() }
            }
        }
        if !writing {
            writer = nil
        } else if writer == nil {
            writer = SocketSource(socket: handle.socket, .write, queue: executor.queue) { [weak self] in
                self?.assumeIsolated { $0.advance() }
            }
        }
        if (reading && reader == nil) || (writing && writer == nil) {
            close(because: PostgresError(.connectionLost, message: Self.noDescriptor))
        }
    }

    static var noDescriptor: String { "the process has no file descriptor left" }

    /// Ends the operation at work, unless a cancel request is under way that could hit the next one.
    private func finish(_ operation: ConnectionOperation) {
        guard !isCancelInFlight else { return }
        if case .script = operation.work, handle?.resumePipelineMode() != true {
            return close(because: PostgresError(.unexpected, message: handle?.message ?? ""))
        }
        current = nil
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
            sendCancel(for: current)
            executor.queue.asyncAfter(deadline: .now() + Self.cancelLimit) { [weak self] in
                self?.assumeIsolated {
                    guard $0.current?.id == id else { return }
                    $0.close(because: PostgresError(.connectionLost, message: "the statement could not be cancelled"))
                }
            }
        }
    }

    private func sendCancel(for operation: ConnectionOperation) {
        guard let cancelHandle, !operation.isAnswered else { return }
        isCancelInFlight = true
        let id = operation.id
        let queue = executor.queue
        // On another queue, because the request connects to the server and waits for it.
        DispatchQueue.global().async {
            cancelHandle.send()
            queue.async { self.assumeIsolated { $0.cancelReturned(for: id) } }
        }
    }

    private func cancelReturned(for id: UInt64) {
        isCancelInFlight = false
        guard current?.id == id else { return }
        advance()
        guard current?.id == id else { return }
        executor.queue.asyncAfter(deadline: .now() + Self.cancelRepeat) { [weak self] in
            self?.assumeIsolated {
                guard let current = $0.current, current.id == id, !$0.isCancelInFlight else { return }
                $0.sendCancel(for: current)
            }
        }
    }
}
