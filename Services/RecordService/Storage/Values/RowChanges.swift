internal import PostgresClient

/// The changes that one transaction makes to rows that are derived from records, such as asset uses and references.
package struct RowChanges<Row: Hashable & Sendable>: Sendable {
    /// The records whose existing rows are all deleted, either because the records no longer have any rows or because
    /// their fields were not read.
    package private(set) var cleared: [RecordKey] = []
    /// The rows to delete.
    package private(set) var removed: [Row] = []
    /// The rows to insert after the deletions.
    package private(set) var added: [Row] = []

    /// Computes the changes for `keys`.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - before: returns the rows of a record as it was read.
    ///   - after: returns the rows of a record as it will be written.
    init(
        of keys: some Sequence<RecordKey>, omitted: Set<RecordKey>, before: (RecordKey) -> Set<Row>,
        after: (RecordKey) -> Set<Row>
    ) {
        for key in keys {
            let new = after(key)
            let old = omitted.contains(key) ? nil : before(key)
            if let old, !(new.isEmpty && !old.isEmpty) {
                removed += old.subtracting(new)
                added += new.subtracting(old)
            } else {
                cleared.append(key)
                added += new
            }
        }
    }

    /// Returns the statements: first the deletions, then the insertion. Statements that would have no effect are left
    /// out.
    func statements(
        clear: ([RecordKey]) -> PostgresCall, remove: ([Row]) -> PostgresCall, add: ([Row]) -> PostgresCall
    ) -> [PostgresCall] {
        (cleared.isEmpty ? [] : [clear(cleared)]) + (removed.isEmpty ? [] : [remove(removed)])
            + (added.isEmpty ? [] : [add(added)])
    }
}
