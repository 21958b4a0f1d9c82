/// A row of `record.reference`.
package struct ReferenceRow: Sendable, Hashable {
    /// The record that refers.
    package var source: RecordKey
    /// The target, the field and the effect.
    package var link: RecordLink
}

/// The changes of reference rows that a transaction makes. Rows are a pure function of a record's fields, its parent
/// and its type.
package struct ReferenceChanges: Sendable {
    /// Records whose rows are all deleted: because none are left, or because their fields were not read.
    package private(set) var cleared: [RecordKey] = []
    /// The rows to delete.
    package private(set) var removed: [ReferenceRow] = []
    /// The rows to insert, after the others were deleted.
    package private(set) var added: [ReferenceRow] = []

    /// Computes the difference of `keys` between the records as they were read and as they will be.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - type: returns the type of a row.
    package init(
        of keys: some Sequence<RecordKey>, from before: [RecordKey: StoredRecord], to after: [RecordKey: StoredRecord],
        omitted: Set<RecordKey>, type: (RecordTypeID) -> RecordTypeSchema?
    ) {
        func links(_ record: StoredRecord?) -> Set<RecordLink> {
            record.flatMap { record in
                type(record.type)?.links(in: record.fields, parent: record.parent)
            } ?? []
        }
        for key in keys {
            let new = links(after[key])
            let old = omitted.contains(key) ? nil : links(before[key])
            if let old, !(new.isEmpty && !old.isEmpty) {
                removed += old.subtracting(new).map { ReferenceRow(source: key, link: $0) }
                added += new.subtracting(old).map { ReferenceRow(source: key, link: $0) }
            } else {
                cleared.append(key)
                added += new.map { ReferenceRow(source: key, link: $0) }
            }
        }
    }
}
