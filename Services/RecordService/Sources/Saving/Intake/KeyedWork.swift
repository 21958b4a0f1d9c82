internal import DequeModule
internal import Dispatch
internal import Synchronization

/// Distributes items among a few workers. Each item belongs to a key. Only one worker at a time processes the items of
/// a key, and it takes several of them together. Keys take turns, and a key whose items cannot be processed at the
/// moment is paused without delaying the other keys.
final class KeyedWork<Key: Hashable & Sendable, Item: Sendable>: Sendable {
    private struct Line {
        var items: Deque<Item> = []
        /// Whether a worker has taken the key, or the key is paused.
        var isTaken = false
        var failures = 0
    }

    private struct State {
        var lines: [Key: Line] = [:]
        var ready: Deque<Key> = []
        var waiters: Deque<CheckedContinuation<(Key, [Item])?, Never>> = []
        var isFinished = false
    }

    private let workers: Int
    private let maxItems: Int
    private let state = Mutex(State())

    /// Creates a distributor for a number of workers, each of which takes up to `maxItems` items of a key at a time.
    init(workers: Int, maxItems: Int) {
        self.workers = workers
        self.maxItems = maxItems
    }

    /// Adds items after the other items of their key. This method can be called from any thread.
    func add(_ items: [Item], for key: Key) {
        change { state in
            state.lines[key, default: Line()].items.append(contentsOf: items)
            if state.lines[key]?.isTaken == false, state.lines[key]?.items.count == items.count {
                state.ready.append(key)
            }
        }
    }

    /// Announces that no more items will be added. ``run(_:)`` returns when all items are done.
    func finish() { change { $0.isFinished = true } }

    /// Runs `work` until ``finish()`` has been called and all items are done.
    ///
    /// - Parameter work: processes items of a key, and returns those that must be retried, in order. After a pause of
    ///   10 ms to 1 s, these are processed before the other items of the key.
    func run(_ work: @Sendable @escaping (Key, [Item]) async -> [Item]) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<workers {
                group.addTask { [self] in
                    while let (key, items) = await next() { done(key, again: await work(key, items)) }
                }
            }
        }
    }

    private func next() async -> (Key, [Item])? {
        await withCheckedContinuation { continuation in
            change { $0.waiters.append(continuation) }
        }
    }

    private func done(_ key: Key, again: [Item]) {
        var rest: Int?
        change { state in
            guard var line = state.lines[key] else { return }
            line.items = Deque(again) + line.items
            line.failures = again.isEmpty ? 0 : line.failures + 1
            // A paused key remains taken.
            line.isTaken = !again.isEmpty
            state.lines[key] = line.items.isEmpty ? nil : line
            if line.isTaken {
                let limit = min(1000, 10 << min(line.failures, 7))
                rest = Int.random(in: limit / 2...limit)
            } else if !line.items.isEmpty {
                state.ready.append(key)
            }
        }
        guard let rest else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(rest)) { [self] in
            change { state in
                state.lines[key]?.isTaken = false
                state.ready.append(key)
            }
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let woken = state.withLock { state in
            change(&state)
            var woken: [(CheckedContinuation<(Key, [Item])?, Never>, (Key, [Item])?)] = []
            while !state.waiters.isEmpty, let key = state.ready.popFirst(), var line = state.lines[key] {
                let items = Array(line.items.prefix(maxItems))
                line.items.removeFirst(items.count)
                line.isTaken = true
                state.lines[key] = line
                woken.append((state.waiters.removeFirst(), (key, items)))
            }
            if state.isFinished, state.lines.isEmpty {
                woken += state.waiters.map { ($0, nil) }
                state.waiters = []
            }
            return woken
        }
        for (continuation, work) in woken { continuation.resume(returning: work) }
    }
}
