internal import Synchronization

/// What was found lately, so that not every request asks the database: also that there is nothing of a name. Old
/// findings are asked for again, which is how long a revocation takes to be noticed.
final class BriefMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Finding {
        var value: Value?
        var foundAt: Int64
    }

    /// How long what there is not counts, milliseconds: an operator who has just made it does not wait for it.
    private static var absenceLife: Int64 { 1000 }

    /// How long a finding counts, milliseconds.
    let life: Int64
    /// How many are kept; past them all are forgotten, which costs a round trip each and bounds what guessing fills.
    let capacity: Int
    private let findings = Mutex<[Key: Finding]>([:])

    /// An empty memory.
    init(life: Duration, capacity: Int = 10_000) {
        self.life = life.components.seconds * 1000
        self.capacity = capacity
    }

    /// What was found under `key`, or what `find` finds now. Two who ask at once may both have it found.
    ///
    /// - Parameter now: milliseconds since 1970; after a clock was put back nothing counts that was found "later".
    func value(of key: Key, at now: Int64, find: () async throws -> Value?) async rethrows -> Value? {
        let known = findings.withLock { $0[key] }
        if let known, (0..<(known.value == nil ? Self.absenceLife : life)).contains(now - known.foundAt) {
            return known.value
        }
        let value = try await find()
        keep(value, for: key, at: now)
        return value
    }

    /// Changes what was found under `key`; it is asked for again as soon as it would have been anyway.
    func replace(_ value: Value, for key: Key) {
        findings.withLock { $0[key]?.value = value }
    }

    /// Has `key` found anew.
    func forget(_ key: Key) { _ = findings.withLock { $0.removeValue(forKey: key) } }

    private func keep(_ value: Value?, for key: Key, at now: Int64) {
        findings.withLock { findings in
            if findings.count >= capacity, findings[key] == nil {
                findings = findings.filter { (0..<life).contains(now - $0.value.foundAt) }
                if findings.count >= capacity { findings.removeAll(keepingCapacity: true) }
            }
            findings[key] = Finding(value: value, foundAt: now)
        }
    }
}
