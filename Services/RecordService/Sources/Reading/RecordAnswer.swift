internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Writes records of one zone into answers.
struct RecordAnswer {
    let zone: ZoneAddress
    /// The user for whom shares are written; empty if there is no user. Some users do not see all participants in a
    /// share.
    var reader = ""
    /// In the share that is written, the participant who has the reader's email address or one-time link; nil if there
    /// is no such participant.
    var invitation: StoredParticipant?
    /// The types of the records.
    var schema = SchemaSnapshot()
    /// The issuer of the assets' download URLs; nil if answers contain no URLs.
    var downloads: AssetDownloads?

    /// The zone's id in answers, with the owner unless the database is public.
    var zoneID: ZoneID {
        ZoneID(
            zoneName: zone.zone,
            ownerRecordName: zone.scope == .public ? nil : UserName(unchecked: zone.owner))
    }

    /// The zone's id in records; nil in the public database (web-services 3.1).
    private var carriedZoneID: ZoneID? { zone.scope == .public ? nil : zoneID }

    /// The number of bytes reserved for a record that is written without its fields, or for its error.
    static let shortBytes = 2048

    /// Writes a live record whose fields and participants do not fit in the answer, and marks the fields as omitted.
    func writeShort(_ record: StoredRecord, to writer: inout WireWriter) {
        var envelope = envelope(of: record)
        // An empty list would mean that the share has no participants.
        envelope.sharing?.share = nil
        writer.record(
            envelope, fields: StoredFields(), types: FieldTypes(), fieldsOmitted: true)
    }

    private func envelope(of record: StoredRecord) -> RecordEnvelope {
        let sharing = record.sharing
        var shown = sharing?.envelope(for: reader, owner: zone.owner, invitedAs: invitation?.id)
        // A user who has a one-time link does not see the link of the share, neither in the share nor in its root.
        if let invitation, invitation.usesOneTimeLink { shown?.shortGUID = invitation.link }
        var modified = record.modified.onWire
        if sharing?.hidesModifier(from: reader, owner: zone.owner) == true {
            modified = RecordEnvelope.Stamp(timestamp: modified.timestamp, userRecordName: zone.owner)
        }
        return RecordEnvelope(
            recordName: record.name, recordType: schema.layout(record.type)?.name ?? "",
            recordChangeTag: record.changeTag, created: record.created.onWire, modified: modified,
            parent: sharing?.hidesParent(from: reader, owner: zone.owner) == true ? nil : record.parent,
            zoneID: carriedZoneID, sharing: shown)
    }

    /// Writes a live record. A share whose participants were not read is written as in ``writeShort(_:to:)``.
    func write(
        _ record: StoredRecord, desiredKeys: Set<String>?, numbersAsStrings: Bool, to writer: inout WireWriter
    ) {
        if record.sharing?.isPartial == true { return writeShort(record, to: &writer) }
        let layout = schema.layout(record.type)
        writer.record(
            envelope(of: record), fields: record.fields ?? StoredFields(), types: layout?.fields ?? FieldTypes(),
            desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings,
            downloadURL: layout?.hasAssets == true ? url : nil)
    }

    /// Writes live records of one type from their rows, in the same form as
    /// ``write(_:desiredKeys:numbersAsStrings:to:)``.
    struct Rows {
        fileprivate let frame: RecordFrame
        fileprivate let reader: String
        fileprivate let owner: String
        fileprivate let numbersAsStrings: Bool
        fileprivate let url: ((Asset) -> String?)?

        /// Writes a record.
        ///
        /// - Returns: whether the schema contains all of the record's fields. Fields that the schema lacks are left
        ///   out.
        /// - Throws: `INTERNAL_ERROR` if the stored fields cannot be parsed.
        func write(_ row: RecordRow, to writer: inout WireWriter) throws -> Bool {
            try row.withLent(for: reader, owner: owner) { record in
                try writer.record(record, in: frame, numbersAsStrings: numbersAsStrings, downloadURL: url)
            }
        }
    }

    /// Returns a writer for rows of `type`.
    func rows(of type: RecordTypeID, desiredKeys: Set<String>?, numbersAsStrings: Bool) -> Rows {
        let layout = schema.layout(type)
        return Rows(
            frame: RecordFrame(
                recordType: layout?.name ?? "", types: layout?.fields ?? FieldTypes(), zoneID: carriedZoneID,
                desiredKeys: desiredKeys),
            reader: reader, owner: zone.owner, numbersAsStrings: numbersAsStrings,
            url: layout?.hasAssets == true ? url : nil)
    }

    private var url: ((Asset) -> String?)? {
        guard let downloads else { return nil }
        let scope = AssetScope(zone)
        return { downloads.url(of: $0, in: scope) }
    }

    /// Writes a deletion, with the record's type if `type` is given. Feeds include the type.
    func writeTombstone(_ name: RecordName, of type: RecordTypeID? = nil, to writer: inout WireWriter) {
        writer.tombstone(
            recordName: name, recordType: type.flatMap { schema.layout($0)?.name }, zoneID: carriedZoneID)
    }
}
