/// A row of `record.reference`.
package struct ReferenceRow: Sendable, Hashable {
    /// The record that points.
    package var source: RecordKey
    /// Where to, by which field and for what.
    package var link: RecordLink
}

/// What a transaction changes in the rows of references. Rows are a pure function of a record's fields, its parent and
/// its type.
package struct ReferenceChanges: Sendable {
    /// Records whose rows all go: because none are left, or because their fields were not read.
    package private(set) var cleared: [RecordKey] = []
    /// Rows that go.
    package private(set) var removed: [ReferenceRow] = []
    /// Rows that come, after the others went.
    package private(set) var added: [ReferenceRow] = []

    /// The difference that `keys` make between what was read and what is written.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - type: the type of a row.
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
