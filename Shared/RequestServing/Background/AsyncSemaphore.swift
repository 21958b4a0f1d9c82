internal import DequeModule
internal import Synchronization

/// A semaphore that admits at most a fixed number of tasks simultaneously. Other tasks wait in order of arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    /// Creates a semaphore with the given number of permits.
    package init(permits: Int) { state = Mutex(State(free: permits)) }

    /// Waits for a permit and runs `body` with it. A task that is cancelled while it is waiting continues to wait for
    /// its permit and then runs `body`, which should check for cancellation.
    ///
    /// - Throws: the error that `body` throws.
    package func withPermit<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await acquire()
        defer { release() }
        return try await body()
    }

    private func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the permit to the next waiting task, or frees it if no task is waiting.
    private func release() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
