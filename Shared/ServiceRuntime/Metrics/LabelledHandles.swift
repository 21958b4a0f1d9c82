internal import Synchronization

/// The handles of a family's series by what their labels are made of, each made when it is first used.
///
/// For label sets whose product is large and mostly empty: an operation's statuses, say. Any thread; a look costs a
/// short lock and a hash.
package final class LabelledHandles<Labels: Hashable & Sendable, Handle: Sendable>: Sendable {
    private let make: @Sendable (Labels) -> Handle
    private let handles = Mutex<[Labels: Handle]>([:])

    /// Handles that `make` makes.
    package init(_ make: @escaping @Sendable (Labels) -> Handle) { self.make = make }

    /// The handle of a series.
    package subscript(labels: Labels) -> Handle {
        handles.withLock { handles in
            if let known = handles[labels] { return known }
            let handle = make(labels)
            handles[labels] = handle
            return handle
        }
    }
}
