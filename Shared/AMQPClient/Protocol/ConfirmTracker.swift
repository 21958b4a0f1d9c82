import DequeModule

/// Tracks the unconfirmed messages of a channel in confirm mode, in order of their delivery tags.
///
/// The broker numbers the messages published on a channel from 1. It answers in any order, either for one tag or for
/// all tags up to a given one (`multiple`). Every element is returned exactly once. Recording and returning an element
/// takes amortised constant time.
struct ConfirmTracker<Element> {
    private var entries: Deque<Element?> = []
    /// The tag of `entries.first`.
    private var firstTag: UInt64 = 1
    /// The number of unconfirmed elements.
    private(set) var count = 0

    /// Records the next published message and returns its delivery tag.
    @discardableResult
    mutating func append(_ element: Element) -> UInt64 {
        entries.append(element)
        count += 1
        return firstTag + UInt64(entries.count) - 1
    }

    /// Removes the element with the tag that the broker's answer names, or, if `multiple` is true, all elements up to
    /// that tag.
    ///
    /// - Returns: the removed elements in publishing order; empty if the tag is not outstanding.
    mutating func settle(_ tag: UInt64, multiple: Bool) -> [Element] {
        guard tag >= firstTag, tag < firstTag + UInt64(entries.count) else {
            return []
        }
        let index = Int(tag - firstTag)
        var settled: [Element] = []
        if multiple {
            settled.reserveCapacity(index + 1)
            for _ in 0...index {
                if let element = entries.removeFirst() {
                    settled.append(element)
                }
            }
            firstTag = tag + 1
        } else if let element = entries[index] {
            settled.append(element)
            entries[index] = nil
        }
        while let first = entries.first, first == nil {
            entries.removeFirst()
            firstTag += 1
        }
        count -= settled.count
        return settled
    }

    /// Returns the first element, in publishing order, that satisfies `predicate`.
    func first(where predicate: (Element) -> Bool) -> Element? {
        for case let element? in entries where predicate(element) {
            return element
        }
        return nil
    }

    /// Removes and returns all elements, in publishing order, and restarts at tag 1, as a new channel does.
    mutating func reset() -> [Element] {
        let outstanding = entries.compactMap(\.self)
        self = ConfirmTracker()
        return outstanding
    }
}
