import Dispatch

/// The rows of one statement as they arrive from the server; see `PostgresConnection.rows(_:_:)`.
///
/// Each iterator runs the statement again.
package struct PostgresRowSequence: AsyncSequence, Sendable {
    package typealias Element = PostgresRow
    package typealias Failure = PostgresError

    let connection: PostgresConnection
    let call: PostgresCall

    package func makeAsyncIterator() -> Iterator {
        Iterator(connection: connection, call: call)
    }

    /// An iterator that fetches rows in batches, so that most calls of `next()` return without suspending.
    package struct Iterator: AsyncIteratorProtocol {
        private let connection: PostgresConnection
        private let call: PostgresCall
        private var stream: Stream?
        private var batch: ArraySlice<PostgresRow> = []
        private var isFinished = false

        /// The open stream. Ends the statement when the iterator is released.
        private final class Stream: Sendable {
            let connection: PostgresConnection
            let id: UInt64

            init(connection: PostgresConnection, id: UInt64) {
                self.connection = connection
                self.id = id
            }

            deinit {
                let connection = connection
                let id = id
                connection.executor.queue.async { connection.assumeIsolated { $0.abandonStream(id) } }
            }
        }

        init(connection: PostgresConnection, call: PostgresCall) {
            self.connection = connection
            self.call = call
        }

        package mutating func next() async throws(PostgresError) -> PostgresRow? {
            try await next(isolation: #isolation)
        }

        /// Stays on the caller's actor. The default implementation of this requirement would leave that actor and
        /// return to it for every row.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PostgresError) -> PostgresRow? {
            if let row = batch.popFirst() { return row }
            if isFinished { return nil }
            let stream: Stream
            if let open = self.stream {
                stream = open
            } else {
                stream = Stream(connection: connection, id: await connection.startStream(call))
                self.stream = stream
            }
            do {
                batch = try await connection.nextRows(of: stream.id)[...]
            } catch {
                isFinished = true
                throw error
            }
            isFinished = batch.isEmpty
            return batch.popFirst()
        }
    }
}

extension PostgresConnection {
    /// Enqueues a stream and returns the id for fetching its rows.
    func startStream(_ call: PostgresCall) -> UInt64 {
        let stream = ConnectionOperation(id: makeOperationID(), work: .stream(call)) { _ in }
        streams[stream.id] = stream
        enqueue(stream)
        return stream.id
    }

    /// Waits for rows and returns them. An empty array means that the stream has ended.
    func nextRows(of id: UInt64) async throws(PostgresError) -> [PostgresRow] {
        while let stream = streams[id] {
            // Cancellation is also checked here, because a stream that always has rows ready would otherwise never
            // notice it.
            if Task.isCancelled { cancel(id) }
            if !stream.rows.isEmpty {
                let rows = stream.rows
                stream.rows = []
                // The next rows are received while the caller processes these.
                executor.queue.async { self.assumeIsolated { $0.advance() } }
                return rows
            }
            if stream.isEnded {
                streams[id] = nil
                if let failure = stream.failure { throw failure }
                return []
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    awaitRows(of: stream, continuation)
                }
            } onCancel: {
                executor.queue.async { self.assumeIsolated { $0.cancel(id) } }
            }
        }
        return []
    }

    /// A separate method, because the closure in `nextRows(of:)` stays on the actor only if it uses the actor.
    private func awaitRows(of stream: ConnectionOperation, _ waiter: CheckedContinuation<Void, Never>) {
        stream.rowWaiter = waiter
    }

    /// Abandons the rest of a stream: drops its rows and asks the server to stop.
    func abandonStream(_ id: UInt64) {
        guard let stream = streams.removeValue(forKey: id), !stream.isEnded else { return }
        stream.isAbandoned = true
        stream.rows = []
        cancel(id)
        advance()
    }
}
