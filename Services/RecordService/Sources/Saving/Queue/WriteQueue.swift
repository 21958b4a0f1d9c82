internal import AMQPClient
internal import CloudKitWire
internal import Dispatch
package import RecordStorage
internal import Synchronization

/// The scheduler with its waiting lanes. Any thread adds; each lane takes, works and releases.
package final class WriteQueue: Sendable {
    package typealias Scheduler = WriteScheduler<WriteRequest>
    private typealias Waiter = CheckedContinuation<Scheduler.Work?, Never>

    private struct State {
        var scheduler: Scheduler
        var waiters: [Waiter] = []
        /// Requests that are expected, since their zones are being looked up.
        var expected = 0
        var isFinished = false
        /// When ``WriteQueue/wake`` is called next.
        var alarm: ContinuousClock.Instant?

        var isOver: Bool { isFinished && expected == 0 && scheduler.isIdle }
    }

    private let state: Mutex<State>
    private let evict: @Sendable ([WriteRequest], WriteQueue) -> Void

    /// A queue with those bounds of one transaction, and of what waits for zones that others have locked.
    ///
    /// - Parameter evict: gets the requests that are over these.
    package init(
        maxOperations: Int, maxBytes: Int, maxWaiting: Int = 1, bounds: HeldBounds = HeldBounds(),
        evict: @escaping @Sendable ([WriteRequest], WriteQueue) -> Void = { _, _ in }
    ) {
        self.evict = evict
        state = Mutex(
            State(
                scheduler: Scheduler(
                    maxOperations: maxOperations, maxBytes: maxBytes, maxWaiting: maxWaiting, bounds: bounds)))
    }

    /// Adds requests.
    ///
    /// - Parameter expected: how many of them, or of others that will not come, had been announced by ``expect(_:)``.
    package func add(_ requests: [WriteRequest], expected: Int = 0) {
        change { state, now in
            state.expected -= expected
            return requests.flatMap { state.scheduler.add(Self.entry($0), now: now) }
        }
    }

    /// Announces requests: the lanes do not end before as many were added, or taken back.
    package func expect(_ count: Int) {
        state.withLock { $0.expected += count }
    }

    /// The next transaction's work; nil when the queue is finished and empty.
    package func next() async -> Scheduler.Work? {
        await withCheckedContinuation { continuation in
            change { state, _ in
                state.waiters.append(continuation)
                return []
            }
        }
    }

    /// Gives work back; see ``WriteScheduler/release(_:returned:skipped:learning:now:)``.
    package func release(
        _ work: Scheduler.Work, returned: [WriteRequest] = [], skipped: Set<ZoneRow> = [],
        learning: [ZoneRow: Int] = [:]
    ) {
        change { state, now in
            state.scheduler.release(
                work, returned: returned.map(Self.entry), skipped: skipped, learning: learning, now: now)
        }
    }

    /// A request of `zone` has waited until its types were learnt, and is to be decided again, or is done with (nil).
    package func resume(_ zone: ZoneRow, returned: WriteRequest?) {
        change { state, now in
            state.scheduler.resume(zone, returned: returned.map(Self.entry), now: now)
            return []
        }
    }

    /// Takes out the requests that wait and came over a connection before `generation`: the broker delivers them again.
    ///
    /// - Returns: how many these were.
    package func removeAll(before generation: UInt64) -> Int {
        state.withLock { $0.scheduler.removeAll { $0.delivery.generation < generation } }
    }

    /// No more requests will be added: lanes end when everything is done.
    package func finish() {
        change { state, _ in
            state.isFinished = true
            return []
        }
    }

    private func change(_ change: (inout State, ContinuousClock.Instant) -> [WriteRequest]) {
        let (evicted, woken, alarm) = state.withLock { state in
            let now = ContinuousClock.now
            let evicted = change(&state, now)
            var woken: [(Waiter, Scheduler.Work?)] = []
            while !state.waiters.isEmpty, let work = state.scheduler.take(now: now) {
                woken.append((state.waiters.removeFirst(), work))
            }
            if state.isOver {
                woken += state.waiters.map { ($0, nil) }
                state.waiters = []
            }
            return (evicted, woken, Self.setAlarm(&state))
        }
        for (continuation, work) in woken { continuation.resume(returning: work) }
        if !evicted.isEmpty { evict(evicted, self) }
        if let alarm { wake(at: alarm) }
    }

    /// When resting zones have to be looked at again, unless that is arranged already.
    private static func setAlarm(_ state: inout State) -> ContinuousClock.Instant? {
        guard !state.waiters.isEmpty, let due = state.scheduler.nextDue, state.alarm.map({ due < $0 }) ?? true
        else { return nil }
        state.alarm = due
        return due
    }

    private func wake(at instant: ContinuousClock.Instant) {
        let time = max(.zero, ContinuousClock.now.duration(to: instant))
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1)) { [weak self] in
            self?.change { state, _ in
                if state.alarm == instant { state.alarm = nil }
                return []
            }
        }
    }

    private static func entry(_ request: WriteRequest) -> Scheduler.Entry {
        Scheduler.Entry(
            request, zone: request.zone.row,
            weight: Scheduler.Weight(
                operations: max(1, request.body.operations.count), bytes: request.delivery.body.count,
                isPoisonCandidate: request.isPoisonCandidate, isAlone: request.isAlone, isKept: request.isKept,
                environment: request.zone.database.environment))
    }
}
