import Dispatch
package import Logging
import ServiceLifecycle
import Synchronization

/// A bounded set of connections to one server, lent for the length of a closure.
///
/// Connections are made when they are wanted, by `run()`; before that, callers wait. Use by any number of tasks.
package final class PostgresPool: Service, Sendable {
    typealias Machine = PoolStateMachine<PostgresConnection, Waiter>

    /// A lease that is asked for and not answered yet.
    typealias Waiter = CheckedContinuation<Result<Lease, PostgresError>, Never>

    struct Lease: Sendable {
        let slot: Machine.SlotID
        let connection: PostgresConnection
    }

    /// An order to `run()` to connect.
    private struct Order: Sendable {
        let slot: Machine.SlotID
        let notBefore: ContinuousClock.Instant
    }

    private struct State {
        var machine: Machine
        var hasStarted = false
        var lastWaiter = 0
    }

    /// How long a connection may take to end what its borrower left behind, before it is closed instead.
    private static let settleLimit = DispatchTimeInterval.seconds(5)

    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let backOff = BackOff()
    private let state: Mutex<State>
    private let orders: AsyncStream<Order>
    private let ordering: AsyncStream<Order>.Continuation
    private let drained: AsyncStream<Void>
    private let draining: AsyncStream<Void>.Continuation

    /// Starts nothing; `run()` does.
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

    /// Why the last connection could not be made; nil when it could.
    package var connectFailure: PostgresError? {
        state.withLock { $0.machine.lastFailure }
    }

    // MARK: Running

    /// Makes connections until graceful shutdown or cancellation, then waits for the lent ones to come back, for
    /// `drainTimeout` at most, and closes all. To be called once.
    package func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        precondition(isFirst, "a pool runs once")
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
        // Tasks of their own, because the wait has its limit even if this task is cancelled.
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
            // It may have broken before the machine knew it.
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

    /// Lets the machine decide under the lock and acts outside it.
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

    /// A dispatch timer rather than a task of `run()`, so that a wait ends on time even if nobody runs the pool.
    private func wake(at instant: ContinuousClock.Instant) {
        let milliseconds = max(0, ContinuousClock.now.duration(to: instant).wholeMilliseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) { [weak self] in
            self?.perform { $0.timeReached(.now) }
        }
    }

    // MARK: Lending

    /// Lends a connection for the length of the closure. No round trip of its own.
    ///
    /// The connection must not be used after the closure has ended. A transaction that the closure leaves open is rolled
    /// back; settings made with `set` stay, so make them `set local`.
    ///
    /// - Throws: What the closure throws; `leaseTimedOut`, or why connecting failed, after `leaseTimeout`; at once
    ///   when the server refuses the credentials or has no such database; `cancelled`; `closed` after shutdown.
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

    /// Runs the closure in a transaction: committed when it returns, rolled back when it throws. Two round trips more
    /// than the closure's own; a pipeline with `.begin` and `.commit` in it saves them.
    ///
    /// - Throws: As `withConnection(_:)`, and the commit's error. A closure that returns although a statement of
    ///   it failed has nothing that could be committed: then SQLSTATE 25P02. After `connectionLost` from the commit
    ///   itself, it may have taken effect.
    package func withTransaction<T: Sendable>(
        _ mode: PostgresTransactionMode = .readCommitted, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            _ = try await connection.pipeline([.begin(mode)])
            let result = try await body(connection)
            let commit = try await connection.pipeline([.commit])
            // The server answers the commit of a failed transaction with a rollback that is no error.
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
                    // The time is taken under the lock, which keeps the deadlines in order.
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
        // The usual case costs no hop to the connection's queue.
        var isUsable = lease.connection.idleFlag.load(ordering: .acquiring)
        if !isUsable { isUsable = await lease.connection.settle(limit: Self.settleLimit) }
        let isKept = isUsable && !lease.connection.isOutgrown.load(ordering: .relaxed)
        perform { $0.giveBack(lease.slot, isUsable: isKept, now: .now) }
    }
}
