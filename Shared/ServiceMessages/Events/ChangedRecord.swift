package import CloudKitModel
package import CloudKitWire

/// The change of one record, as it is stored in the change log and sent in events.
package struct ChangedRecord: Sendable, Equatable {
    /// The kind of change.
    package enum Kind: String, Sendable {
        case created, updated, deleted
    }

    /// The shares of a record before and after a change.
    package struct Shares: Sendable, Equatable {
        /// The number of the share that the record was in; nil if the record was in no share or did not exist.
        package var before: Int64?
        /// The number of the share that the record is in; nil if the record is in no share or was deleted.
        package var after: Int64?
        /// Whether records below this record moved with it from one share to the other.
        package var movesBelow: Bool

        /// Creates the shares of a record; nil if the record is in no share before or after the change.
        package init?(before: Int64?, after: Int64?, movesBelow: Bool = false) {
            guard before != nil || after != nil else { return nil }
            (self.before, self.after, self.movesBelow) = (before, after, movesBelow)
        }
    }

    /// The record's name.
    package var name: RecordName
    /// The name of the record's type.
    package var type: String
    /// The zone's sequence number after the change.
    package var seq: Int64
    /// The kind of change.
    package var kind: Kind
    /// The names of the fields that were set or cleared, in order.
    package var changedKeys: [String]
    /// The `fileChecksum` of every asset that the record no longer refers to.
    package var droppedAssets: [String]
    /// The record dictionary, as in answers but without encrypted fields and `zoneID`, and with only the checksum and
    /// size of assets. It shows the record after the change or, for a deletion, before it. Nil if no interest in the
    /// type is set (``Operation/interestsSet``), or if this is a deletion in a merged event.
    package var record: JSONValue?
    /// The shares of the record; nil if the record is in no share before or after the change. The share of a whole zone
    /// is named in the event instead (``ChangeEvent/Shares/zone``).
    package var shares: Shares?

    /// Creates a change from its parts.
    package init(
        name: RecordName, type: String, seq: Int64, kind: Kind, changedKeys: [String] = [],
        droppedAssets: [String] = [],
        record: JSONValue? = nil, shares: Shares? = nil
    ) {
        self.name = name
        self.type = type
        self.seq = seq
        self.kind = kind
        self.changedKeys = changedKeys
        self.droppedAssets = droppedAssets
        self.record = record
        self.shares = shares
    }

    /// Encodes changes as the JSON array `[{recordName, recordType, seq, change, changedKeys, droppedAssets?,
    /// shareBefore?, share?, movesBelow?, record?}]`.
    package static func json(_ changes: some Collection<ChangedRecord>) -> [UInt8] {
        var writer = WireWriter()
        writer.array(changes) { writer, change in
            writer.object { writer in
                writer.member("recordName", change.name)
                writer.member("recordType", change.type)
                writer.member("seq", change.seq)
                writer.member("change", change.kind.rawValue)
                writer.member("changedKeys", change.changedKeys)
                if !change.droppedAssets.isEmpty { writer.member("droppedAssets", change.droppedAssets) }
                if let shares = change.shares {
                    writer.member("shareBefore", shares.before)
                    writer.member("share", shares.after)
                    if shares.movesBelow { writer.member("movesBelow", true) }
                }
                if let record = change.record {
                    writer.key("record")
                    writer.value(record)
                }
            }
        }
        return writer.bytes
    }

    /// Splits changes, in order, into pieces whose ``json(_:)`` is at most `maxBytes` long. A piece that consists of a
    /// single change can be longer.
    package static func pieces(
        _ changes: ArraySlice<ChangedRecord>, maxBytes: Int
    ) -> [(changes: ArraySlice<ChangedRecord>, json: [UInt8])] {
        let json = json(changes)
        guard json.count > maxBytes, changes.count > 1 else { return changes.isEmpty ? [] : [(changes, json)] }
        let middle = changes.startIndex + changes.count / 2
        return pieces(changes[..<middle], maxBytes: maxBytes) + pieces(changes[middle...], maxBytes: maxBytes)
    }

    /// Decodes one element of ``json(_:)``.
    ///
    /// - Throws: a `BAD_REQUEST` error if the element is malformed.
    package init(_ json: JSONValue) throws(ServerError) {
        guard let name = json["recordName"]?.string, let type = json["recordType"]?.string, let seq = json["seq"]?.int,
            let kind = json["change"]?.string.flatMap(Kind.init)
        else { throw ServerError(.eventMalformed, "A record of a change event is malformed", field: "records") }
        self.init(
            name: RecordName(unchecked: name), type: type, seq: seq, kind: kind,
            changedKeys: json["changedKeys"]?.array?.compactMap(\.string) ?? [],
            droppedAssets: json["droppedAssets"]?.array?.compactMap(\.string) ?? [],
            record: json["record"].flatMap { $0.isNull ? JSONValue?.none : $0 },
            shares: Shares(
                before: json["shareBefore"]?.int, after: json["share"]?.int,
                movesBelow: json["movesBelow"]?.bool ?? false))
    }
}
