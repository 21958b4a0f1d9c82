/// A row of `record.reference`.
package struct ReferenceRow: Sendable, Hashable {
    /// The record that contains the reference.
    package var source: RecordKey
    /// The target, the field and the effect.
    package var link: RecordLink
}

/// The changes to reference rows. Rows are a pure function of a record's fields, parent and type.
package typealias ReferenceChanges = RowChanges<ReferenceRow>

extension RowChanges where Row == ReferenceRow {
    /// Computes the changes for `keys` between the records as they were read and the records as they will be written.
    ///
    /// - Parameters:
    ///   - omitted: records that were read without their fields.
    ///   - type: returns the type with the given id.
    init(
        of keys: some Sequence<RecordKey>, from before: [RecordKey: StoredRecord], to after: [RecordKey: StoredRecord],
        omitted: Set<RecordKey>, type: (RecordTypeID) -> RecordTypeSchema?
    ) {
        func rows(_ key: RecordKey, _ record: StoredRecord?) -> Set<ReferenceRow> {
            guard let record, let type = type(record.type) else { return [] }
            return Set(
                type.links(in: record.fields, parent: record.parent).map { ReferenceRow(source: key, link: $0) })
        }
        self.init(of: keys, omitted: omitted, before: { rows($0, before[$0]) }, after: { rows($0, after[$0]) })
    }
}
