import Dispatch
package import Logging
import ServiceLifecycle
import Synchronization

/// A bounded set of connections to one server, leased for the duration of a closure.
///
/// `run()` opens connections on demand; until `run()` is called, callers wait. Any number of tasks may use the pool.
package final class PostgresPool: Service, Sendable {
    typealias Machine = PoolStateMachine<PostgresConnection, Waiter>

    /// A pending lease request.
    typealias Waiter = CheckedContinuation<Result<Lease, PostgresError>, Never>

    struct Lease: Sendable {
        let slot: Machine.SlotID
        let connection: PostgresConnection
    }

    /// An order for `run()` to open a connection.
    private struct Order: Sendable {
        let slot: Machine.SlotID
        let notBefore: ContinuousClock.Instant
    }

    private struct State {
        var machine: Machine
        var hasStarted = false
        var lastWaiter = 0
    }

    /// If a connection does not finish or roll back the work that its borrower left behind within this time, the
    /// connection is closed.
    private static let settleLimit = DispatchTimeInterval.seconds(5)

    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let backOff = BackOff()
    private let state: Mutex<State>
    private let orders: AsyncStream<Order>
    private let ordering: AsyncStream<Order>.Continuation
    private let drained: AsyncStream<Void>
    private let draining: AsyncStream<Void>.Continuation

    /// Creates a pool, which opens no connection before `run()` is called.
    package init(configuration: PostgresConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        state = Mutex(State(machine: Machine(maxConnections: configuration.maxConnections)))
        (orders, ordering) = AsyncStream.makeStream()
        (drained, draining) = AsyncStream.makeStream()
    }

    package var statistics: PostgresPoolStatistics {
        state.withLock { $0.machine.statistics }
    }

    /// The error of the last connection attempt; nil if it succeeded or none has been made.
    package var connectFailure: PostgresError? {
        state.withLock { $0.machine.lastFailure }
    }

    // MARK: Running

    /// Opens connections on demand until graceful shutdown or cancellation. Then waits at most `drainTimeout` for
    /// leased connections, and closes all connections. Must be called only once.
    package func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        precondition(isFirst, "a pool's run() may be called only once")
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    for await order in orders {
                        group.addTask { await self.connect(order) }
                    }
                    group.cancelAll()
                }
            } onGracefulShutdown: {
                self.shutDown()
            }
        } onCancel: {
            shutDown()
        }
        await waitForLeases()
    }

    private func shutDown() {
        perform { $0.shutDown() }
        ordering.finish()
    }

    private func waitForLeases() async {
        // The tasks are unstructured, so that the wait lasts up to its full time limit even if this task is cancelled.
        let limit = Task {
            try await Task.sleep(for: configuration.drainTimeout)
            perform { $0.endDrain() }
        }
        await Task { for await _ in drained {} }.value
        limit.cancel()
    }

    private func connect(_ order: Order) async {
        do {
            try await Task.sleep(until: order.notBefore, clock: .continuous)
        } catch {
            return
        }
        let slot = order.slot
        let connection = PostgresConnection(configuration: configuration) { [weak self] in
            self?.perform { $0.lost(slot) }
        }
        do {
            try await connection.open()
            perform { $0.connected(slot, connection, now: .now) }
            // The connection may have broken before it was reported to the state machine.
            if !connection.idleFlag.load(ordering: .acquiring) { perform { $0.lost(slot) } }
        } catch {
            let failures = state.withLock { $0.machine.failures } + 1
            let delay = backOff.delay(afterFailures: failures, random: .random(in: 0..<1))
            logger.info(
                "PostgreSQL connection failed",
                metadata: ["error": "\(error.debugDescription)", "failures": "\(failures)", "retryIn": "\(delay)"])
            perform { $0.connectFailed(slot, error, now: .now, retryAt: .now + delay) }
        }
    }

    /// Applies an event to the state machine under the lock and performs its actions outside the lock.
    private func perform(_ event: (inout Machine) -> [Machine.Action]) {
        for action in state.withLock({ event(&$0.machine) }) {
            switch action {
            case .open(let slot, let notBefore): ordering.yield(Order(slot: slot, notBefore: notBefore))
            case .lend(let connection, let slot, let waiter):
                waiter.resume(returning: .success(Lease(slot: slot, connection: connection)))
            case .fail(let waiter, let error): waiter.resume(returning: .failure(error))
            case .close(let connection): connection.close()
            case .wake(let instant): wake(at: instant)
            case .finished: draining.finish()
            }
        }
    }

    /// Schedules the next check of deadlines. Uses a dispatch timer rather than a task in `run()`, so that waits end on
    /// time even if the pool is not running.
    private func wake(at instant: ContinuousClock.Instant) {
        let milliseconds = max(0, ContinuousClock.now.duration(to: instant).wholeMilliseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) { [weak self] in
            self?.perform { $0.timeReached(.now) }
        }
    }

    // MARK: Leasing

    /// Leases a connection for the duration of the closure. Leasing takes no round trip.
    ///
    /// The connection must not be used after the closure has returned. A transaction that the closure leaves open is
    /// rolled back. Settings made with `set` remain in effect for later leases, so use `set local`.
    ///
    /// - Throws: The closure's error; `leaseTimedOut` or the last connection error after `leaseTimeout`; the connection
    ///   error immediately if the server refuses the credentials or the database does not exist; `cancelled`; `closed`
    ///   after shutdown.
    package func withConnection<T: Sendable>(
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let lease = try await lease().get()
        let result: T
        do {
            result = try await body(lease.connection)
        } catch {
            await giveBack(lease)
            throw error
        }
        await giveBack(lease)
        return result
    }

    /// Runs the closure in a transaction, which is committed when the closure returns and rolled back when it throws.
    /// Takes two round trips in addition to those of the closure. A pipeline with `.begin` and `.commit` saves these
    /// round trips.
    ///
    /// - Throws: Any error that `withConnection(_:)` throws, or the error of the commit. If the closure returns
    ///   although one of its statements failed, the transaction is rolled back and an error with SQLSTATE 25P02 is
    ///   thrown. If the commit itself fails with `connectionLost`, the transaction may have taken effect.
    package func withTransaction<T: Sendable>(
        _ mode: PostgresTransactionMode = .readCommitted, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            _ = try await connection.pipeline([.begin(mode)])
            let result = try await body(connection)
            let commit = try await connection.pipeline([.commit])
            // If the transaction has failed, the server answers the commit with a rollback, which is not reported as an
            // error.
            guard commit[0].commandTag == "COMMIT" else {
                throw PostgresError(
                    .server, sqlState: .inFailedTransaction, message: "the transaction had failed and was rolled back")
            }
            return result
        }
    }

    private func lease() async -> Result<Lease, PostgresError> {
        if Task.isCancelled { return .failure(.cancelledTask) }
        let (id, lease) = state.withLock { state -> (Machine.WaiterID, Lease?) in
            if let (slot, connection) = state.machine.leaseIdle() {
                return (Machine.WaiterID(rawValue: 0), Lease(slot: slot, connection: connection))
            }
            state.lastWaiter += 1
            return (Machine.WaiterID(rawValue: state.lastWaiter), nil)
        }
        if let lease { return .success(lease) }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { machine in
                    // The time is read under the lock, so that deadlines stay in order.
                    let now = ContinuousClock.now
                    return machine.lease(id, continuation, now: now, deadline: now + configuration.leaseTimeout)
                }
                if Task.isCancelled { perform { $0.cancel(id) } }
            }
        } onCancel: {
            perform { $0.cancel(id) }
        }
        if case .failure(let error) = answer, error.code == .leaseTimedOut, !state.withLock({ $0.hasStarted }) {
            return .failure(PostgresError(.leaseTimedOut, message: "the pool is not running"))
        }
        return answer
    }

    private func giveBack(_ lease: Lease) async {
        // In the common case, reading the flag saves a hop to the connection's queue.
        var isUsable = lease.connection.idleFlag.load(ordering: .acquiring)
        if !isUsable { isUsable = await lease.connection.settle(limit: Self.settleLimit) }
        let isKept = isUsable && !lease.connection.isOutgrown.load(ordering: .relaxed)
        perform { $0.giveBack(lease.slot, isUsable: isKept, now: .now) }
    }
}
