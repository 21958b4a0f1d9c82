internal import CloudKitWire
package import ServiceMessages

/// The deletion of one record: the tombstone and the entry in the change log.
package struct RecordDeletion {
    /// The row that remains after the deletion. If the record had already left its share, the row is not in the share.
    package let tombstone: StoredRecord
    /// The membership that ends with the deletion because the record had already left its share; nil for other records.
    package let departed: Membership?
    /// The change in its logged form. It contains the former record if changes to records of this type are logged with
    /// values.
    package let change: ChangedRecord
    /// The record's references before the deletion; empty if its fields were not read.
    package let links: Set<RecordLink>

    /// Creates the deletion of `record`.
    ///
    /// - Parameters:
    ///   - type: the type of the record; nil if unknown.
    ///   - seq: the number of the deletion.
    ///   - changeTag: the change tag of the tombstone.
    ///   - stamp: the user, device and time of the deletion.
    ///   - isOmitted: whether the record was read without its fields. If so, the change does not name the assets that
    ///     the record no longer uses; the asset service's sweep finds them.
    package init(
        of record: StoredRecord, type: RecordTypeSchema?, seq: Int64, changeTag: String, stamp: StoredRecord.Stamp,
        isOmitted: Bool
    ) {
        var tombstone = record.tombstone(seq: seq, changeTag: changeTag, stamp: stamp)
        departed = record.membership.flatMap { $0.hasLeft && !$0.isEnded ? $0 : nil }
        // To participants, the record has left the share, and was not deleted.
        if departed != nil { tombstone.membership = nil }
        self.tombstone = tombstone
        links = isOmitted ? [] : type?.links(in: record.fields, parent: record.parent) ?? []
        change = ChangedRecord(
            name: record.name, type: type?.name ?? "", seq: seq, kind: .deleted,
            droppedAssets: isOmitted ? [] : type?.droppedAssets(from: record.fields, to: nil) ?? [],
            record: type?.logLayout.flatMap { record.logged(by: $0) },
            shares: ChangedRecord.Shares(before: record.membership?.reported?.rawValue, after: nil))
    }
}
