package import CloudKitWire
package import PostgresClient

/// A row that a statement of ``RecordTable`` read. Each value is decoded when it is accessed.
package struct RecordRow: Sendable {
    package let row: PostgresRow

    /// Wraps a row.
    package init(row: PostgresRow) { self.row = row }

    /// The position of the column with the fields.
    private static let fields = RecordTable.columnCount - 2
    /// The position of the column with ``StoredSharing``.
    private static let sharing = RecordTable.columnCount - 3

    /// The zone.
    package var zone: ZoneRow { ZoneRow(row.int64(0)) }
    /// The record's type.
    package var type: RecordTypeID { RecordTypeID(row.int32(2)) }
    /// The record's key.
    package var key: RecordKey { RecordKey(zone: zone, name: row.recordName(1)) }
    /// Whether the fields were left out because the read would have grown too large.
    package var isOmitted: Bool { row.bool(RecordTable.columnCount - 1) }
    /// The approximate number of bytes that the fields and a share's participants take up in an answer.
    package var fieldBytes: Int { row.byteCount(Self.fields) + row.byteCount(Self.sharing) }

    /// Decodes the record.
    ///
    /// - Throws: `INTERNAL_ERROR` if the record's fields cannot be parsed.
    package func record() throws -> StoredRecord {
        let fields = try row.jsonbIfPresent(Self.fields).map { try StoredFields(parsing: $0) }
        return StoredRecord(
            name: row.recordName(1), type: type, changeSeq: row.int64(3), changeTag: row.string(4),
            fields: fields ?? (isOmitted ? StoredFields() : nil), size: Int(row.int32(5)),
            parent: row.recordNameIfPresent(6),
            created: StoredRecord.Stamp(milliseconds: row.milliseconds(7), user: row.string(8), device: row.string(9)),
            modified: StoredRecord.Stamp(
                milliseconds: row.milliseconds(10), user: row.string(11), device: row.string(12)),
            membership: membership, sharing: sharing)
    }

    /// The share that the record belongs to, if any.
    package var membership: Membership? { row.int64ArrayIfPresent(Self.sharing - 1).map(MembershipTable.membership) }

    /// The sharing data of a record that is a root or a share.
    private var sharing: StoredSharing? {
        guard let json = row.jsonbIfPresent(Self.sharing) else { return nil }
        return (try? JSONValue(parsing: Array(json))).flatMap(StoredSharing.init)
    }

    /// Lends a live record and its fields to `body`, without copying them.
    ///
    /// - Parameter owner: the owner of the zone.
    package func withLent(
        for reader: String, owner: String, _ body: (LentRecord) throws -> Bool
    ) rethrows -> Bool {
        let (created, modified) = (row.milliseconds(7), row.milliseconds(10))
        let sharing = sharing
        let hidesParent = sharing?.hidesParent(from: reader, owner: owner) == true
        let hidesModifier = sharing?.hidesModifier(from: reader, owner: owner) == true
        var (user, device) = hidesModifier ? (owner, "2") : ("", "")
        return try row.withValues { values in
            try user.withUTF8 { user in
                try device.withUTF8 { device in
                    try body(
                        LentRecord(
                            recordName: values.text(1), recordChangeTag: values.text(4),
                            created: .init(
                                milliseconds: created, userRecordName: values.text(8), deviceID: values.text(9)),
                            modified: .init(
                                milliseconds: modified,
                                userRecordName: hidesModifier ? UnsafeRawBufferPointer(user) : values.text(11),
                                deviceID: hidesModifier ? UnsafeRawBufferPointer(device) : values.text(12)),
                            parent: hidesParent ? nil : values.textIfPresent(6), fields: values.jsonb(Self.fields),
                            sharing: sharing?.envelope(for: reader, owner: owner)))
                }
            }
        }
    }
}
