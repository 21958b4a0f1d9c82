import Synchronization

/// Counts that the slots of a load change while the progress line reads them. May be used on any thread.
final class Tally<Counts: Sendable>: Sendable {
    private let counts: Mutex<Counts>

    /// Creates counts with initial values.
    init(_ counts: Counts) { self.counts = Mutex(counts) }

    /// The current counts.
    var now: Counts { counts.withLock { $0 } }

    /// Returns a part of the current counts. Cheaper than ``now``.
    func read<Value: Sendable>(_ part: (Counts) -> Value) -> Value { counts.withLock { part($0) } }

    /// Changes the counts.
    func update(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
}
