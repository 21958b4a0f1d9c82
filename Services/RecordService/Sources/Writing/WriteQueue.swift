internal import AMQPClient
internal import CloudKitWire
internal import Synchronization

/// The scheduler with its waiting lanes. Any thread adds; each lane takes, works and releases.
package final class WriteQueue: Sendable {
    package typealias Scheduler = WriteScheduler<WriteRequest>

    private struct State {
        var scheduler: Scheduler
        var waiters: [CheckedContinuation<Scheduler.Work?, Never>] = []
        var isFinished = false
    }

    private let state: Mutex<State>

    /// A queue with those bounds of one transaction.
    package init(maxOperations: Int, maxBytes: Int) {
        state = Mutex(State(scheduler: Scheduler(maxOperations: maxOperations, maxBytes: maxBytes)))
    }

    /// Adds requests.
    package func add(_ requests: [WriteRequest]) {
        wake { state in
            for request in requests {
                state.scheduler.add(request, zone: request.zone.row, weight: Self.weight(of: request))
            }
        }
    }

    /// The next transaction's work; nil when the queue is finished and empty.
    package func next() async -> Scheduler.Work? {
        await withCheckedContinuation { continuation in
            let work: Scheduler.Work?? = state.withLock { state in
                if let work = state.scheduler.take() { return .some(work) }
                if state.isFinished, state.scheduler.isIdle { return .some(nil) }
                state.waiters.append(continuation)
                return nil
            }
            if let work { continuation.resume(returning: work) }
        }
    }

    /// Gives work back; see ``WriteScheduler/release(_:returned:skipped:)``.
    package func release(_ work: Scheduler.Work, returned: [WriteRequest] = [], skipped: Set<ZoneRow> = []) {
        wake { state in
            state.scheduler.release(
                work.zones, returned: returned.map { ($0, $0.zone.row, Self.weight(of: $0)) }, skipped: skipped)
        }
    }

    /// No more requests will be added: lanes end when everything is done.
    package func finish() {
        wake { $0.isFinished = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let woken: [(CheckedContinuation<Scheduler.Work?, Never>, Scheduler.Work?)] = state.withLock { state in
            change(&state)
            var woken: [(CheckedContinuation<Scheduler.Work?, Never>, Scheduler.Work?)] = []
            while !state.waiters.isEmpty, let work = state.scheduler.take() {
                woken.append((state.waiters.removeFirst(), work))
            }
            if state.isFinished, state.scheduler.isIdle {
                woken += state.waiters.map { ($0, nil) }
                state.waiters = []
            }
            return woken
        }
        for (continuation, work) in woken { continuation.resume(returning: work) }
    }

    private static func weight(of request: WriteRequest) -> Scheduler.Weight {
        Scheduler.Weight(
            operations: max(1, request.body.operations.count), bytes: request.delivery.body.count,
            isSuspect: request.isSuspect, isAlone: request.isAlone)
    }
}
