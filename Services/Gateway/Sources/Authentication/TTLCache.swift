internal import Synchronization

/// What was found lately, so that not every request asks the database: also that there is nothing of a name. Old
/// findings are asked for again, which is how long a revocation takes to be noticed.
///
/// What there is and what there is not have a room of their own each: guessing fills the second, and leaves the first.
final class TTLCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Finding {
        var value: Value
        var foundAt: Int64
    }

    private struct State {
        var findings: [Key: Finding] = [:]
        /// When it was found that there is nothing.
        var absences: [Key: Int64] = [:]
    }

    /// How long what there is not counts, milliseconds: an operator who has just made it does not wait for it.
    private static var absenceLife: Int64 { 1000 }

    /// How long a finding counts, milliseconds.
    let life: Int64
    /// How many are kept of either kind; past them all of the kind are forgotten, which costs a round trip each.
    let capacity: Int
    private let state = Mutex(State())

    /// An empty memory.
    init(life: Duration, capacity: Int = 10_000) {
        self.life = life.components.seconds * 1000
        self.capacity = capacity
    }

    /// What was found under `key`, or what `find` finds now. Two who ask at once may both have it found.
    ///
    /// - Parameter now: milliseconds since 1970; after a clock was put back nothing counts that was found "later".
    func value(of key: Key, at now: Int64, find: () async throws -> Value?) async rethrows -> Value? {
        let (known, absentSince) = state.withLock { ($0.findings[key], $0.absences[key]) }
        if let known, (0..<life).contains(now - known.foundAt) { return known.value }
        if let absentSince, (0..<Self.absenceLife).contains(now - absentSince) { return nil }
        let value = try await find()
        keep(value, for: key, at: now)
        return value
    }

    /// Changes what was found under `key`; it is asked for again as soon as it would have been anyway.
    func replace(_ value: Value, for key: Key) {
        state.withLock { $0.findings[key]?.value = value }
    }

    /// Has `key` found anew.
    func forget(_ key: Key) {
        state.withLock { state in
            state.findings[key] = nil
            state.absences[key] = nil
        }
    }

    private func keep(_ value: Value?, for key: Key, at now: Int64) {
        state.withLock { state in
            if let value {
                state.absences[key] = nil
                Self.makeRoom(in: &state.findings, for: key, capacity) { (0..<life).contains(now - $0.foundAt) }
                state.findings[key] = Finding(value: value, foundAt: now)
            } else {
                state.findings[key] = nil
                Self.makeRoom(in: &state.absences, for: key, capacity) {
                    (0..<Self.absenceLife).contains(now - $0)
                }
                state.absences[key] = now
            }
        }
    }

    private static func makeRoom<Kept>(
        in kept: inout [Key: Kept], for key: Key, _ capacity: Int, while isGood: (Kept) -> Bool
    ) {
        guard kept.count >= capacity, kept[key] == nil else { return }
        kept = kept.filter { isGood($0.value) }
        if kept.count >= capacity { kept.removeAll(keepingCapacity: true) }
    }
}
