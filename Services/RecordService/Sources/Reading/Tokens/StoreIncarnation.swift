internal import Synchronization

/// The first eight bytes of the store's incarnation. Tokens contain this value. It changes when the store has been
/// restored or a replica has been promoted. This object can be used from any thread.
package final class StoreIncarnation: Sendable {
    private let current: Mutex<UInt64>

    /// Creates an incarnation that stays the same until ``change(to:)`` is called.
    package init(_ value: UInt64) { current = Mutex(value) }

    /// The current value.
    package var value: UInt64 { current.withLock { $0 } }

    /// Replaces the value.
    func change(to value: UInt64) { current.withLock { $0 = value } }
}
