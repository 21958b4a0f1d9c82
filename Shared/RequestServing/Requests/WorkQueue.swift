internal import DequeModule
internal import Synchronization

/// A queue of elements for several consuming tasks. (An `AsyncStream` supports only one consumer.)
package final class WorkQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: Deque<Element> = []
        var waiters: Deque<CheckedContinuation<Element?, Never>> = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates an empty queue.
    package init() {}

    /// Adds an element, or passes it to a waiting task.
    package func add(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if let waiter = state.waiters.popFirst() { return waiter }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Waits for the next element and returns it; returns nil when the queue is finished and empty.
    package func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let element: Element?? = state.withLock { state in
                if let element = state.elements.popFirst() { return .some(element) }
                if state.isFinished { return .some(nil) }
                state.waiters.append(continuation)
                return nil
            }
            if let element { continuation.resume(returning: element) }
        }
    }

    /// Finishes the queue. No more elements may be added.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }
}
