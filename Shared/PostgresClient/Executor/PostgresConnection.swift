import DequeModule
import Dispatch
import Synchronization

/// One connection to PostgreSQL, leased from a `PostgresPool`.
///
/// Several tasks may make calls; the calls run one after another. libpq is used only on the connection's own serial
/// queue, and no job on that queue waits for the network. A caller can therefore run synchronously on the queue and
/// send data on its own thread. Data is received on the thread of ``SocketMonitor``, which watches the sockets.
/// Cancelling a call's task stops the statement on the server.
package actor PostgresConnection {
    /// If a cancelled statement does not end within this time, the connection is closed.
    static let cancelLimit: DispatchTimeInterval = .seconds(10)
    /// The interval at which a cancel request is repeated. The server drops a request that arrives before the statement
    /// does.
    static let cancelRepeat: DispatchTimeInterval = .milliseconds(100)
    /// The approximate maximum number of unfetched rows that a stream buffers.
    static let streamRows = 256
    /// The number of bytes after which sending pauses until the socket is writable, so that a large pipeline is not
    /// held in memory twice.
    static let sendWindowBytes = 256 * 1024
    /// If a call is larger than this number of bytes, the connection is replaced when its lease ends, because libpq
    /// keeps a buffer as large as the largest call that it has sent.
    static let maxKeptBytes = 4 << 20

    nonisolated let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let configuration: PostgresConfiguration
    /// Called once, on the connection's queue, when the connection is closed for any reason.
    let onClose: @Sendable () -> Void

    /// Whether the connection is open and has neither an operation nor a transaction, as of the last answer.
    /// Thread-safe.
    nonisolated let idleFlag = Atomic<Bool>(false)
    /// Whether the connection has sent a call larger than ``maxKeptBytes``. Thread-safe.
    nonisolated let isOutgrown = Atomic<Bool>(false)

    // libpq's connection and the sources that watch its socket; `nil` before the connection is established and after it
    // is closed.
    var handle: ConnectionHandle?
    var cancelHandle: CancelHandle?
    var reader: SocketSource?
    var writer: SocketSource?
    var closeError: PostgresError?

    var statements: StatementCache
    var parameterBuffer = ParameterBuffer()

    /// The current operation and the operations that are waiting for it.
    var current: ConnectionOperation?
    var waiting: Deque<ConnectionOperation> = []
    private let lastOperationID = Atomic<UInt64>(0)
    /// Whether a cancel request is in flight. The operation does not end until the request has returned; otherwise the
    /// request could stop the next statement.
    var isCancelInFlight = false
    /// The streams that have started but have been neither read to the end nor abandoned.
    var streams: [UInt64: ConnectionOperation] = [:]
    // While connecting: the source that watches the socket, and the continuation to resume when the socket is ready or
    // the wait ends.
    var connectSource: SocketSource?
    var connectWaiter: CheckedContinuation<PostgresError?, Never>?

    init(configuration: PostgresConfiguration, onClose: @escaping @Sendable () -> Void) {
        executor = QueueExecutor(label: "zonda.postgres.connection")
        self.configuration = configuration
        self.onClose = onClose
        statements = StatementCache(capacity: configuration.maxPreparedStatements)
    }

    /// Runs one statement and returns all its rows. Takes one round trip, even the first time.
    ///
    /// - Throws: `server` with the SQLSTATE, `cancelled`, `connectionLost`, `closed` or `unexpected`.
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

    /// Runs several statements in one round trip and returns their results in order.
    ///
    /// The first failure prevents the remaining statements from running and is thrown with its `callIndex`. Without
    /// `.begin`, the statements form one implicit transaction, so after a failure none of them has an effect. With
    /// `.begin`, the transaction stays open in the failed state until a `.rollback` or the end of the lease.
    package nonisolated func pipeline(_ calls: [PostgresCall]) async throws(PostgresError) -> [PostgresResult] {
        guard !calls.isEmpty else { return [] }
        return try await run(.calls(calls)).get()
    }

    /// Runs a script of several statements over the simple query protocol, as one transaction unless the script
    /// contains its own `begin`.
    ///
    /// Intended for migrations. It takes no parameters and returns no results. A `copy` from or to the client closes
    /// the connection.
    package nonisolated func execute(script: String) async throws(PostgresError) {
        _ = try await run(.script(script)).get()
    }

    /// Streams the rows of a large result without keeping them all in memory. The statement runs when the first row is
    /// requested.
    ///
    /// The connection is in use until the last row has been read; until then, any other call fails with `unexpected`.
    /// Leaving the loop early cancels the statement, which makes a surrounding transaction fail.
    package nonisolated func rows(
        _ statement: PostgresStatement, _ parameters: [PostgresParameter] = []
    ) -> PostgresRowSequence {
        PostgresRowSequence(connection: self, call: PostgresCall(statement, parameters))
    }

    nonisolated func makeOperationID() -> UInt64 {
        lastOperationID.add(1, ordering: .relaxed).newValue
    }

    /// The id of the server process for this connection, as in `pg_stat_activity.pid`; 0 when closed.
    package var serverProcess: Int32 { handle?.serverProcess ?? 0 }

    /// Whether the connection is encrypted.
    package var isEncrypted: Bool { handle?.isEncrypted ?? false }

    /// Whether a transaction is open, including a failed one.
    package var isInTransaction: Bool {
        handle.map { $0.transaction != .none } ?? false
    }
}
