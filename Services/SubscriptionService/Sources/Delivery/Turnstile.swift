internal import DequeModule
internal import Synchronization

/// Lets so many through at once; the others wait in the order in which they came.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    /// One that lets `count` through at once.
    init(count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a place and does the work in it. Whoever is cancelled while waiting still gets its turn: work that
    /// minds being cancelled then ends at once.
    func pass<Value: Sendable>(_ work: () async -> Value) async -> Value {
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
        defer {
            // The place goes to the next one, and becomes free only when there is none.
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            next?.resume()
        }
        return await work()
    }
}
