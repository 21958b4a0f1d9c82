import DequeModule
import Dispatch
import Synchronization

extension PostgresConnection {
    /// Runs an operation and waits until it ends. Cancelling the task cancels the operation.
    ///
    /// Sends as much as possible on the caller's thread. No step on the connection's queue waits for the network.
    nonisolated func run(_ work: ConnectionOperation.Work) async -> Result<[PostgresResult], PostgresError> {
        let id = makeOperationID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.perform {
                    // If the task is cancelled before this point, the cancellation is visible here. If it is cancelled
                    // later, the cancellation handler runs on the queue after this block and finds the operation.
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

    /// Starts an operation as soon as all earlier operations have ended.
    func enqueue(_ operation: ConnectionOperation) {
        if let refusal {
            operation.fail(refusal)
            return operation.end()
        }
        idleFlag.store(false, ordering: .releasing)
        if current == nil { start(operation) } else { waiting.append(operation) }
    }

    /// The error with which refused operations fail; nil if operations are accepted.
    private var refusal: PostgresError? {
        if let closeError { return closeError }
        if handle == nil { return PostgresError(.closed, message: "the connection is not open yet") }
        // The stream's reader might be the calling task itself, so waiting for the stream could deadlock.
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
        // The data received before the connection ended has been handled above, because it can contain the server's
        // reason for closing.
        if !isAlive || handle.isBad {
            close(because: PostgresError(.connectionLost, message: handle.message))
        }
    }

    /// Performs all work that is possible without waiting: sends, flushes, processes results, and ends the operation
    /// when it is complete.
    func advance() {
        guard let handle else { return }
        if let current, !current.isSent, !send(current, on: handle) { return }
        let flushed = handle.flush()
        if let current { receive(current, from: handle) }
        // At this point, everything that the server sent before it closed the connection has been received.
        if flushed == .failed { close(because: PostgresError(.connectionLost, message: handle.message)) }
        guard closeError == nil else { return }
        // When enough rows are waiting to be fetched, further rows stay in the socket, which applies back pressure to
        // the server.
        let isFull = current.map { $0.isStream && !$0.isAnswered && $0.rows.count >= Self.streamRows } ?? false
        watch(reading: !isFull, writing: flushed == .wouldBlock)
        if let current, current.isAnswered { finish(current) }
    }

    /// Watches the socket in the given directions.
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

    static var noDescriptor: String { "the process has no file descriptors left" }

    /// Ends the current operation, unless a cancel request that could stop the next operation is in flight.
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

    /// Removes a waiting operation, or asks the server to stop the current one. Has no effect if the operation has
    /// already ended.
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
        // The request is sent on another queue, because sending opens a connection to the server and blocks.
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
