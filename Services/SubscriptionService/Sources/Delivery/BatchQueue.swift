internal import Synchronization

/// A queue whose reader takes, in one call, all elements that have arrived. All methods except ``next()`` may be called
/// from any thread.
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

    /// Adds an element.
    func add(_ element: Element) { change { $0.elements.append(element) } }

    /// Announces `count` answers. The queue does not end before all of them have arrived.
    func expectAnswers(to count: Int) { change { $0.expected += count } }

    /// Adds an element that contains `count` of the expected answers.
    func answer(_ element: Element, to count: Int) {
        change { state in
            state.elements.append(element)
            state.expected -= count
        }
    }

    /// Ends the queue once the expected answers have arrived.
    func finish() { change { $0.isFinished = true } }

    /// Waits for elements and returns all that have arrived since the last call; nil if the queue has ended. Only one
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
