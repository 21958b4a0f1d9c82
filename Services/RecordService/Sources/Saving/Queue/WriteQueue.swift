internal import AMQPClient
internal import CloudKitWire
internal import Dispatch
package import RecordStorage
internal import Synchronization

/// Connects the scheduler to the lanes. Requests can be added from any thread. Each lane takes work, executes it and
/// releases it.
package final class WriteQueue: Sendable {
    package typealias Scheduler = WriteScheduler<WriteRequest>
    private typealias Waiter = CheckedContinuation<Scheduler.Work?, Never>

    private struct State {
        var scheduler: Scheduler
        var waiters: [Waiter] = []
        /// The number of requests that will be added after their zones have been looked up.
        var expected = 0
        var isFinished = false
        /// The time of the next call to ``WriteQueue/wake(at:)``.
        var alarm: ContinuousClock.Instant?

        var isOver: Bool { isFinished && expected == 0 && scheduler.isIdle }
    }

    private let state: Mutex<State>
    private let evict: @Sendable ([WriteRequest], WriteQueue) -> Void

    /// Creates a queue with bounds for one transaction and for the requests that are waiting for locked zones.
    ///
    /// - Parameter evict: receives the requests that exceed the bounds.
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
    /// - Parameter expected: the number of requests announced by ``expect(_:)`` that are added now or will never be
    ///   added.
    package func add(_ requests: [WriteRequest], expected: Int = 0) {
        change { state, now in
            state.expected -= expected
            return requests.flatMap { state.scheduler.add(Self.entry($0), now: now) }
        }
    }

    /// Announces requests. The lanes keep running until these requests have been added or withdrawn with
    /// ``add(_:expected:)``.
    package func expect(_ count: Int) {
        state.withLock { $0.expected += count }
    }

    /// Returns the work for the next transaction; nil if the queue is finished and empty.
    package func next() async -> Scheduler.Work? {
        await withCheckedContinuation { continuation in
            change { state, _ in
                state.waiters.append(continuation)
                return []
            }
        }
    }

    /// Releases work; see ``WriteScheduler/release(_:returned:skipped:awaitingSchema:now:)``.
    package func release(
        _ work: Scheduler.Work, returned: [WriteRequest] = [], skipped: Set<ZoneRow> = [],
        awaitingSchema: [ZoneRow: Int] = [:]
    ) {
        change { state, now in
            state.scheduler.release(
                work, returned: returned.map(Self.entry), skipped: skipped, awaitingSchema: awaitingSchema, now: now)
        }
    }

    /// Ends the wait of a request in `zone` for a schema extension.
    ///
    /// - Parameter returned: the request, to be executed again; nil if it is done.
    package func resume(_ zone: ZoneRow, returned: WriteRequest?) {
        change { state, now in
            state.scheduler.resume(zone, returned: returned.map(Self.entry), now: now)
            return []
        }
    }

    /// Removes the waiting requests that arrived over a connection older than `generation`. The broker redelivers
    /// them.
    ///
    /// - Returns: the number of removed requests.
    package func removeAll(before generation: UInt64) -> Int {
        state.withLock { $0.scheduler.removeAll { $0.delivery.generation < generation } }
    }

    /// Announces that no more requests will be added. The lanes finish when all requests are done.
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

    /// Returns the time for which to schedule the next check of the resting zones; nil if no new check is needed.
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
