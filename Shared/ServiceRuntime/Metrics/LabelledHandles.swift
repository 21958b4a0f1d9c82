internal import Synchronization

/// The handles of the series of a metric family, keyed by their labels. Each handle is created on first use.
///
/// Use it for label sets whose product is large and mostly empty, such as the statuses of each operation. It may be
/// used from any thread; a look-up costs a short lock and a hash.
package final class LabelledHandles<Labels: Hashable & Sendable, Handle: Sendable>: Sendable {
    private let make: @Sendable (Labels) -> Handle
    private let handles = Mutex<[Labels: Handle]>([:])

    /// Creates an empty collection, for which `make` creates handles.
    package init(_ make: @escaping @Sendable (Labels) -> Handle) { self.make = make }

    /// Returns the handle of a series.
    package subscript(labels: Labels) -> Handle {
        handles.withLock { handles in
            if let known = handles[labels] { return known }
            let handle = make(labels)
            handles[labels] = handle
            return handle
        }
    }
}
