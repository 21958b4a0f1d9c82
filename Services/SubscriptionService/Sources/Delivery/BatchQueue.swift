internal import Synchronization

/// A queue whose reader takes everything that has arrived at once.
final class BatchQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Void, Never>?
        /// The number of answers that are still expected.
        var expected = 0
        var isFinished = false

        var isReady: Bool { !elements.isEmpty || (isFinished && expected == 0) }
    }

    private let state = Mutex(State())

    /// Adds an element. Any thread.
    func add(_ element: Element) { change { $0.elements.append(element) } }

    /// Announces a number of answers. The queue does not end before they have arrived. Any thread.
    func expectAnswers(to count: Int) { change { $0.expected += count } }

    /// Adds an element that gives `count` of the expected answers. Any thread.
    func answer(_ element: Element, to count: Int) {
        change { state in
            state.elements.append(element)
            state.expected -= count
        }
    }

    /// Ends the queue after the expected answers. Any thread.
    func finish() { change { $0.isFinished = true } }

    /// Waits for elements and returns all that have arrived since the last call; nil when the queue has ended. Only one
    /// task may read.
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
