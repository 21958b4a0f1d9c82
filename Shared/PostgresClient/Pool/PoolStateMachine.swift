import DequeModule

/// The pool's decisions: which connections exist, which callers lease them and which callers wait.
///
/// A value type without side effects. Events are method calls, which pass the time where it is needed and return the
/// resulting actions. The pool performs the actions after it has released its lock.
///
///     (none) ── open ──▶ connecting ── connected ──▶ idle ◀──▶ leased
///                         │   ▲                        │          │
///                         ▼   │ (back-off)             ▼          ▼
///                        failed                      closed     closed
struct PoolStateMachine<Connection, Waiter> {
    typealias Instant = ContinuousClock.Instant

    struct SlotID: Hashable, Sendable {
        let rawValue: Int
    }

    struct WaiterID: Hashable, Sendable {
        let rawValue: Int
    }

    enum Action {
        /// Open a connection, but not before the given time.
        case open(SlotID, notBefore: Instant)
        case lend(Connection, SlotID, to: Waiter)
        case fail(Waiter, PostgresError)
        case close(Connection)
        /// Call `timeReached(_:)` at the given time.
        case wake(at: Instant)
        /// The shutdown is complete; no connections are left.
        case finished
    }

    private enum Slot {
        case connecting
        case idle(Connection)
        case leased(Connection)
    }

    private struct Waiting {
        let id: WaiterID
        let waiter: Waiter
        let deadline: Instant
    }

    private enum Phase {
        case running, draining, finished
    }

    private let maxConnections: Int
    private var phase = Phase.running
    private var slots: [SlotID: Slot] = [:]
    /// The idle connections. The most recently used one is leased first, because its caches are warm.
    private var idle: [SlotID] = []
    private var waiters: Deque<Waiting> = []
    private var connectingCount = 0
    private var leasedCount = 0
    private var lastSlot = 0
    private var isWakeScheduled = false

    /// The number of consecutive failed connection attempts, the last error, and the earliest time of the next attempt.
    private(set) var failures = 0
    private(set) var lastFailure: PostgresError?
    private var retryAt: Instant?

    init(maxConnections: Int) {
        self.maxConnections = max(1, maxConnections)
    }

    var statistics: PostgresPoolStatistics {
        PostgresPoolStatistics(open: slots.count - connectingCount, leased: leasedCount, waiting: waiters.count)
    }

    // MARK: Leases

    /// Leases an idle connection, if there is one and no caller is waiting.
    mutating func leaseIdle() -> (SlotID, Connection)? {
        guard phase == .running, waiters.isEmpty, let id = idle.popLast(), case .idle(let connection)? = slots[id]
        else { return nil }
        slots[id] = .leased(connection)
        leasedCount += 1
        return (id, connection)
    }

    /// Requests a connection, which is leased immediately or later; if the deadline passes first, the request fails.
    /// The deadline must not be earlier than that of a previous call.
    mutating func lease(_ id: WaiterID, _ waiter: Waiter, now: Instant, deadline: Instant) -> [Action] {
        guard phase == .running else { return [.fail(waiter, .poolClosed)] }
        if let (slot, connection) = leaseIdle() { return [.lend(connection, slot, to: waiter)] }
        waiters.append(Waiting(id: id, waiter: waiter, deadline: deadline))
        return openForWaiters(now: now) + scheduleWake()
    }

    /// Cancels a waiter. Has no effect if the waiter has already been resumed.
    mutating func cancel(_ id: WaiterID) -> [Action] {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return [] }
        return [.fail(waiters.remove(at: index).waiter, .cancelledTask)]
    }

    /// Fails the waiters whose deadline has passed.
    mutating func timeReached(_ now: Instant) -> [Action] {
        isWakeScheduled = false
        var actions: [Action] = []
        while let first = waiters.first, first.deadline <= now {
            waiters.removeFirst()
            actions.append(.fail(first.waiter, timeoutError))
        }
        return actions + scheduleWake()
    }

    /// Takes back a leased connection, and closes it unless it is usable.
    mutating func giveBack(_ id: SlotID, isUsable: Bool, now: Instant) -> [Action] {
        guard case .leased(let connection)? = slots[id] else { return [] }
        leasedCount -= 1
        guard isUsable, phase == .running else {
            slots[id] = nil
            return [.close(connection)] + openForWaiters(now: now) + finishIfDrained()
        }
        return lendOrKeep(id, connection)
    }

    // MARK: Connections

    mutating func connected(_ id: SlotID, _ connection: Connection, now: Instant) -> [Action] {
        guard case .connecting? = slots[id], phase == .running else { return [.close(connection)] }
        connectingCount -= 1
        failures = 0
        lastFailure = nil
        retryAt = nil
        // The first success after failures shows that the server is reachable, so connections for the other waiters can
        // be opened.
        return lendOrKeep(id, connection) + openForWaiters(now: now)
    }

    /// Records a failed connection attempt. Waiters continue to wait for the next attempt, unless the server's refusal
    /// is permanent.
    ///
    /// - Parameter retryAt: The earliest time of the next attempt, according to `failures` and the back-off.
    mutating func connectFailed(_ id: SlotID, _ error: PostgresError, now: Instant, retryAt: Instant) -> [Action] {
        guard case .connecting? = slots.removeValue(forKey: id) else { return [] }
        connectingCount -= 1
        failures += 1
        lastFailure = error
        self.retryAt = retryAt
        guard error.isRefusal else { return openForWaiters(now: now) }
        defer { waiters = [] }
        return waiters.map { .fail($0.waiter, error) }
    }

    /// Records that a connection broke. A leased connection is kept until it is returned.
    mutating func lost(_ id: SlotID) -> [Action] {
        guard case .idle(let connection)? = slots[id] else { return [] }
        slots[id] = nil
        idle.removeAll { $0 == id }
        return [.close(connection)]
    }

    // MARK: Shutdown

    /// Closes the idle connections, fails the waiters and grants no further leases. The action `finished` follows when
    /// the last leased connection has been returned.
    mutating func shutDown() -> [Action] {
        guard phase == .running else { return [] }
        phase = .draining
        var actions: [Action] = waiters.map { .fail($0.waiter, .poolClosed) }
        waiters = []
        for (id, slot) in slots {
            switch slot {
            case .connecting: slots[id] = nil
            case .idle(let connection):
                slots[id] = nil
                actions.append(.close(connection))
            case .leased: break
            }
        }
        idle = []
        connectingCount = 0
        return actions + finishIfDrained()
    }

    /// Closes the connections that are still leased when the drain timeout expires.
    mutating func endDrain() -> [Action] {
        guard phase == .draining else { return [] }
        let actions: [Action] = slots.values.compactMap { slot in
            if case .leased(let connection) = slot { .close(connection) } else { nil }
        }
        slots = [:]
        leasedCount = 0
        return actions + finishIfDrained()
    }

    // MARK: Steps

    private mutating func lendOrKeep(_ id: SlotID, _ connection: Connection) -> [Action] {
        guard let next = waiters.popFirst() else {
            slots[id] = .idle(connection)
            idle.append(id)
            return []
        }
        slots[id] = .leased(connection)
        leasedCount += 1
        return [.lend(connection, id, to: next.waiter)]
    }

    /// Opens connections until there is one attempt for each waiter, or a single attempt while the server is
    /// unreachable.
    private mutating func openForWaiters(now: Instant) -> [Action] {
        guard phase == .running else { return [] }
        let wanted = failures > 0 ? min(1, waiters.count) : waiters.count
        var actions: [Action] = []
        while connectingCount < wanted, slots.count < maxConnections {
            lastSlot += 1
            let id = SlotID(rawValue: lastSlot)
            slots[id] = .connecting
            connectingCount += 1
            actions.append(.open(id, notBefore: retryAt ?? now))
        }
        return actions
    }

    private mutating func scheduleWake() -> [Action] {
        guard !isWakeScheduled, let first = waiters.first else { return [] }
        isWakeScheduled = true
        return [.wake(at: first.deadline)]
    }

    private mutating func finishIfDrained() -> [Action] {
        guard phase == .draining, slots.isEmpty else { return [] }
        phase = .finished
        return [.finished]
    }

    /// The error for a waiter whose deadline has passed. If the server is unreachable, this is the last connection
    /// error.
    private var timeoutError: PostgresError {
        guard let lastFailure, slots.count == connectingCount else {
            return PostgresError(.leaseTimedOut, message: "all \(maxConnections) connections remained in use")
        }
        return lastFailure
    }
}

extension PostgresError {
    static let poolClosed = PostgresError(.closed, message: "the pool has been shut down")
}
