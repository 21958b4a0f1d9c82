internal import Synchronization

/// The handles for the series of a metric family, keyed by labels. Each handle is created on first use.
///
/// Use this type if there are many possible combinations of labels but few of them occur, such as the statuses of each
/// operation. Thread-safe; a look-up requires a brief lock and a hash.
package final class LabelledHandles<Labels: Hashable & Sendable, Handle: Sendable>: Sendable {
    private let make: @Sendable (Labels) -> Handle
    private let handles = Mutex<[Labels: Handle]>([:])

    /// Creates an empty collection that creates its handles with `make`.
    package init(_ make: @escaping @Sendable (Labels) -> Handle) { self.make = make }

    /// The handle for the series with the given labels.
    package subscript(labels: Labels) -> Handle {
        handles.withLock { handles in
            if let known = handles[labels] { return known }
            let handle = make(labels)
            handles[labels] = handle
            return handle
        }
    }
}
