internal import Synchronization

/// The first eight bytes of the store's incarnation, as tokens carry it: another value once the store was restored or a
/// replica was promoted. Any thread.
package final class StoreIncarnation: Sendable {
    private let current: Mutex<UInt64>

    /// An incarnation that stays until ``change(to:)``.
    package init(_ value: UInt64) { current = Mutex(value) }

    /// The present one.
    package var value: UInt64 { current.withLock { $0 } }

    /// Takes a new one from now on.
    func change(to value: UInt64) { current.withLock { $0 = value } }
}
