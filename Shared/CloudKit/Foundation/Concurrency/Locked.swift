internal import Synchronization

/// A value behind a lock. Unlike `Mutex`, it lends values that are not `Sendable`: the classes of this module are
/// `Sendable` because their state is only reached through such a lock.
final class Locked<Value>: @unchecked Sendable {
    private let mutex = Mutex(())
    private var value: Value

    /// Creates a lock around `value`.
    init(_ value: Value) { self.value = value }

    /// Calls `body` with the value while holding the lock. `body` must not use the lock again.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        mutex._unsafeLock()
        defer { mutex._unsafeUnlock() }
        return try body(&value)
    }

    /// A copy of the value.
    var copy: Value { withLock { $0 } }
}
