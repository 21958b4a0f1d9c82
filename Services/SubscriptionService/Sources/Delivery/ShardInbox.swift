internal import AMQPClient
internal import Foundation
internal import Synchronization

/// What a lane has to deal with next: everything that came since it looked last, at once.
final class ShardInbox: Sendable {
    /// Something that came.
    enum Input: Sendable {
        /// Changes, off the shard's queue.
        case deliveries([AMQPDelivery])
        /// The time given to the gap after that number of that zone is over.
        case waited(UUID, after: Int64)
        /// The time that a zone was to be left alone is over.
        case rested(UUID)
        /// What the log had for a zone.
        case read(UUID, Result<ChangeLogClient.Page, any Error>)
        /// There is something left to do.
        case again
    }

    private struct State {
        var inputs: [Input] = []
        var waiter: CheckedContinuation<Void, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Adds an input. Any thread.
    func add(_ input: Input) { change { $0.inputs.append(input) } }

    /// No more will come. Any thread.
    func finish() { change { $0.isFinished = true } }

    /// Everything since the last time, when there is something; nil when it is finished and empty. For one task.
    func next() async -> [Input]? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.inputs.isEmpty || state.isFinished { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.inputs = [] }
            return state.inputs.isEmpty ? nil : state.inputs
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
