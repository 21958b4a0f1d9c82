import DequeModule
import Dispatch
import Synchronization

/// One connection to PostgreSQL, lent by a `PostgresPool`.
///
/// Calls may come from several tasks; they run one after the other. All of libpq's work happens in turn on the connection's
/// own serial queue, and nothing there waits for the network; so a call's caller takes its turn itself and sends, and the
/// thread that watches the sockets receives (``SocketMonitor``). Cancelling the task of a call stops the statement at the
/// server.
package actor PostgresConnection {
    /// A cancelled statement that does not end within this time costs the connection.
    static let cancelLimit: DispatchTimeInterval = .seconds(10)
    /// The server drops a cancel request that arrives before the statement does, so it is repeated at this distance.
    static let cancelRepeat: DispatchTimeInterval = .milliseconds(100)
    /// A stream holds at most about this many rows that were not fetched.
    static let streamRows = 256
    /// Sending pauses for the socket after this many bytes, so that a large pipeline is not all in memory twice.
    static let sendWindowBytes = 256 * 1024
    /// libpq keeps a buffer as large as the largest call that it has sent. A connection that has sent a call of more bytes is
    /// replaced when it is given back.
    static let maxKeptBytes = 4 << 20

    nonisolated let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let configuration: PostgresConfiguration
    /// Called once on the connection's queue when it is closed, by whomever.
    let onClose: @Sendable () -> Void

    /// Whether the connection is open, does nothing and has no transaction, as of the last answer. Readable from anywhere.
    nonisolated let idleFlag = Atomic<Bool>(false)
    /// Whether the connection keeps more memory than ``maxKeptBytes``. Readable from anywhere.
    nonisolated let isOutgrown = Atomic<Bool>(false)

    // libpq's connection and what watches its socket; `nil` before connecting and after closing.
    var handle: ConnectionHandle?
    var cancelHandle: CancelHandle?
    var reader: SocketSource?
    var writer: SocketSource?
    var closeError: PostgresError?

    var statements: StatementCache
    var parameterBuffer = ParameterBuffer()

    /// The operation at work, and those that wait for it.
    var current: ConnectionOperation?
    var waiting: Deque<ConnectionOperation> = []
    private let lastOperationID = Atomic<UInt64>(0)
    /// Whether a cancel request is on its way; the operation does not end before it has returned, because it would stop
    /// whatever came next.
    var isCancelInFlight = false
    /// Streams from their start until their end was fetched, or nobody wants them any more.
    var streams: [UInt64: ConnectionOperation] = [:]
    // While connecting: what watches the socket, and what is resumed when it is ready, or the wait is over.
    var connectSource: SocketSource?
    var connectWaiter: CheckedContinuation<PostgresError?, Never>?

    init(configuration: PostgresConfiguration, onClose: @escaping @Sendable () -> Void) {
        executor = QueueExecutor(label: "zonda.postgres.connection")
        self.configuration = configuration
        self.onClose = onClose
        statements = StatementCache(capacity: configuration.maxPreparedStatements)
    }

    /// Runs one statement and gives all its rows. One round trip, also the first time.
    ///
    /// - Throws: `server` with the SQLSTATE, `cancelled`, `connectionLost` or `closed`.
    package nonisolated func query(
        _ statement: PostgresStatement, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) -> PostgresResult {
        do throws(PostgresError) {
            let results = try await run(.calls([PostgresCall(statement, parameters)])).get()
            guard let result = results.first else {
                throw PostgresError(.unexpected, message: "the statement is empty")
            }
            return result
        } catch {
            var error = error
            error.callIndex = nil
            throw error
        }
    }

    /// Runs several statements in one round trip and gives their results in order.
    ///
    /// The first that fails keeps the rest from running and is thrown with its `callIndex`. Without `.begin` among them
    /// they are one transaction of their own, so that then none has had an effect. With `.begin`, a failure leaves the
    /// transaction open and failed: the end of the lease, or a `.rollback`, ends it.
    package nonisolated func pipeline(_ calls: [PostgresCall]) async throws(PostgresError) -> [PostgresResult] {
        guard !calls.isEmpty else { return [] }
        return try await run(.calls(calls)).get()
    }

    /// Runs a text of several statements in the simple protocol, as one transaction unless it has its own `begin`.
    ///
    /// For migrations: no parameters, no results, and `copy` from or to the client closes the connection.
    package nonisolated func execute(script: String) async throws(PostgresError) {
        _ = try await run(.script(script)).get()
    }

    /// The rows of a large result one by one, without holding them all. The statement runs when the first is asked for.
    ///
    /// The connection is taken until the last row: another call before that fails with `unexpected`. Leaving the loop
    /// early cancels the statement, which makes a transaction around it fail.
    package nonisolated func rows(
        _ statement: PostgresStatement, _ parameters: [PostgresParameter] = []
    ) -> PostgresRowSequence {
        PostgresRowSequence(connection: self, call: PostgresCall(statement, parameters))
    }

    nonisolated func makeOperationID() -> UInt64 {
        lastOperationID.add(1, ordering: .relaxed).newValue
    }

    /// The server's process that serves this connection, as in `pg_stat_activity.pid`; 0 when closed.
    package var serverProcess: Int32 { handle?.serverProcess ?? 0 }

    /// Whether the connection is encrypted.
    package var isEncrypted: Bool { handle?.isEncrypted ?? false }

    /// Whether a transaction is open, failed ones included.
    package var isInTransaction: Bool {
        handle.map { $0.transaction != .none } ?? false
    }
}
