/// A change that waits to be sent. Of the changes of one item, only the last counts.
protocol PendingChange: Hashable {
    associatedtype Item: Hashable
    /// The record or the zone that changes.
    var item: Item { get }
}

extension CKSyncEngine.PendingRecordZoneChange: PendingChange {
    var item: CKRecord.ID { recordID }
}

extension CKSyncEngine.PendingDatabaseChange: PendingChange {
    var item: CKRecordZone.ID { zoneID }
}

/// Changes that wait to be sent, in the order in which they were added.
struct PendingList<Change: PendingChange> {
    private struct Entry {
        var change: Change
        var slot: Int
        /// The moment at which the change was last added.
        var moment: Int
    }

    private var entries: [Change.Item: Entry] = [:]
    /// The items in order; nil for those that were removed.
    private var slots: [Change.Item?] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The changes in order.
    var changes: [Change] { slots.compactMap { $0.flatMap { entries[$0]?.change } } }

    /// Adds a change at a moment. An equal change keeps its place; another change of the same item is replaced.
    mutating func add(_ change: Change, at moment: Int) {
        if let entry = entries[change.item] {
            guard entry.change != change else {
                entries[change.item] = Entry(change: change, slot: entry.slot, moment: moment)
                return
            }
            slots[entry.slot] = nil
        }
        entries[change.item] = Entry(change: change, slot: slots.count, moment: moment)
        slots.append(change.item)
    }

    /// Removes a change. Returns whether it was there.
    @discardableResult mutating func remove(_ change: Change) -> Bool { remove(change, addedUntil: .max) }

    /// Removes a change, unless it was added again after a moment. Returns whether it was removed.
    @discardableResult mutating func remove(_ change: Change, addedUntil moment: Int) -> Bool {
        guard let entry = entries[change.item], entry.change == change, entry.moment <= moment else { return false }
        entries[change.item] = nil
        slots[entry.slot] = nil
        if slots.count > 64, entries.count < slots.count / 2 { compact() }
        return true
    }

    private mutating func compact() {
        slots.removeAll { $0 == nil }
        for (slot, item) in slots.enumerated() {
            if let item { entries[item]?.slot = slot }
        }
    }
}
