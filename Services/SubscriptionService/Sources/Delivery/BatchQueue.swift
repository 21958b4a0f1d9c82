internal import Synchronization

/// What a task has to deal with next: everything that came since it looked last, at once.
final class BatchQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Void, Never>?
        /// Answers that are still to come.
        var expected = 0
        var isFinished = false

        var isReady: Bool { !elements.isEmpty || (isFinished && expected == 0) }
    }

    private let state = Mutex(State())

    /// Adds an element. Any thread.
    func add(_ element: Element) { change { $0.elements.append(element) } }

    /// Somebody will ``answer(_:to:)`` so many questions: until then the queue is not over. Any thread.
    func expectAnswers(to count: Int) { change { $0.expected += count } }

    /// Adds an element that was expected, and answers so many questions. Any thread.
    func answer(_ element: Element, to count: Int) {
        change { state in
            state.elements.append(element)
            state.expected -= count
        }
    }

    /// No more will come but the answers that are expected. Any thread.
    func finish() { change { $0.isFinished = true } }

    /// Everything since the last time, when there is something; nil when it is finished and empty. For one task.
    func next() async -> [Element]? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isReady { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.elements = [] }
            return state.elements.isEmpty ? nil : state.elements
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard state.isReady else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
