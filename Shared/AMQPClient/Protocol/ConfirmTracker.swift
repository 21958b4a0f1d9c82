import DequeModule

/// Tracks the unconfirmed messages of a channel in confirm mode, in the order of their delivery tags.
///
/// The broker numbers the messages published on a channel from 1 and answers in any order, singly or up to a tag
/// (`multiple`). Every element is returned exactly once. Amortised constant time per element.
struct ConfirmTracker<Element> {
    private var entries: Deque<Element?> = []
    /// The tag of `entries.first`.
    private var firstTag: UInt64 = 1
    /// The number of unconfirmed elements.
    private(set) var count = 0

    /// Records the next publish and returns its delivery tag.
    @discardableResult
    mutating func append(_ element: Element) -> UInt64 {
        entries.append(element)
        count += 1
        return firstTag + UInt64(entries.count) - 1
    }

    /// Removes the elements that the broker answered: `tag`, or all elements up to it.
    ///
    /// - Returns: the elements in the order of publishing; empty for a tag that is not outstanding.
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

    /// Returns the first element, in the order of publishing, that satisfies `predicate`.
    func first(where predicate: (Element) -> Bool) -> Element? {
        for case let element? in entries where predicate(element) {
            return element
        }
        return nil
    }

    /// Removes and returns all elements, in the order of publishing, and restarts at tag 1, as a new channel does.
    mutating func reset() -> [Element] {
        let outstanding = entries.compactMap(\.self)
        self = ConfirmTracker()
        return outstanding
    }
}
