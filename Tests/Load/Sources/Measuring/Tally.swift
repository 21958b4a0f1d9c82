import Synchronization

/// Counts that a load's slots change while its progress line reads them. Any thread.
final class Tally<Counts: Sendable>: Sendable {
    private let counts: Mutex<Counts>

    /// Counts that begin like this.
    init(_ counts: Counts) { self.counts = Mutex(counts) }

    /// The counts now.
    var now: Counts { counts.withLock { $0 } }

    /// A part of the counts now; cheaper than ``now``.
    func read<Value: Sendable>(_ part: (Counts) -> Value) -> Value { counts.withLock { part($0) } }

    /// Changes the counts.
    func update(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
}
