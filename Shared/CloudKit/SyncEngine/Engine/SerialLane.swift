internal import Synchronization

/// Lets one piece of work run at a time, in the order of arrival.
final class SerialLane: Sendable {
    private struct State {
        var isTaken = false
        var nextNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        /// The numbers of those that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Waits for the lane, and runs `work` on it.
    ///
    /// - Throws: ``CKError/Code/operationCancelled`` if the task was cancelled while it waited.
    func run<Value>(_ work: () async throws(CKError) -> Value) async throws(CKError) -> Value {
        guard await enter(isCancellable: true) else { throw CKError(.operationCancelled) }
        defer { leave() }
        return try await work()
    }

    /// Waits for the lane, whether or not the task is cancelled, and runs `work` on it.
    func runAlways(_ work: () async -> Void) async {
        _ = await enter(isCancellable: false)
        defer { leave() }
        await work()
    }

    private func enter(isCancellable: Bool) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return false }
                    if state.isTaken {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            guard isCancellable else { return }
            let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
