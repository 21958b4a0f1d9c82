package import CloudKitModel
package import CloudKitWire

/// One record's change, as the change log keeps it and events carry it.
package struct ChangedRecord: Sendable, Equatable {
    /// What happened.
    package enum Kind: String, Sendable {
        case created, updated, deleted
    }

    /// The record.
    package var name: RecordName
    /// Its type's name.
    package var type: String
    /// The zone's counter after it.
    package var seq: Int64
    /// What happened.
    package var kind: Kind
    /// The fields that were set or cleared, in order.
    package var changedKeys: [String]
    /// The `fileChecksum` of every asset that the record does not refer to any more.
    package var droppedAssets: [String]
    /// The record dictionary as answers carry it, without encrypted fields and its zone's id, and with assets by checksum and
    /// size: after the change, of a deletion before it. Nil where nobody has an interest in the type (``Operation/interestsSet``), and
    /// of the deletions in an event that merges several.
    package var record: JSONValue?

    /// A change of those parts.
    package init(
        name: RecordName, type: String, seq: Int64, kind: Kind, changedKeys: [String] = [],
        droppedAssets: [String] = [],
        record: JSONValue? = nil
    ) {
        self.name = name
        self.type = type
        self.seq = seq
        self.kind = kind
        self.changedKeys = changedKeys
        self.droppedAssets = droppedAssets
        self.record = record
    }

    /// The JSON array `[{recordName, recordType, seq, change, changedKeys, droppedAssets?, record?}]`.
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
                if let record = change.record {
                    writer.key("record")
                    writer.value(record)
                }
            }
        }
        return writer.bytes
    }

    /// The changes in order, cut into pieces whose ``json(_:)`` has at most so many bytes, or one change.
    package static func pieces(
        _ changes: ArraySlice<ChangedRecord>, maxBytes: Int
    ) -> [(changes: ArraySlice<ChangedRecord>, json: [UInt8])] {
        let json = json(changes)
        guard json.count > maxBytes, changes.count > 1 else { return changes.isEmpty ? [] : [(changes, json)] }
        let middle = changes.startIndex + changes.count / 2
        return pieces(changes[..<middle], maxBytes: maxBytes) + pieces(changes[middle...], maxBytes: maxBytes)
    }

    /// Reads one element of ``json(_:)``.
    ///
    /// - Throws: `BAD_REQUEST` when it is none.
    package init(_ json: JSONValue) throws(ServerError) {
        guard let name = json["recordName"]?.string, let type = json["recordType"]?.string, let seq = json["seq"]?.int,
            let kind = json["change"]?.string.flatMap(Kind.init)
        else { throw ServerError(.eventMalformed, "A record of a change event is malformed", field: "records") }
        self.init(
            name: RecordName(unchecked: name), type: type, seq: seq, kind: kind,
            changedKeys: json["changedKeys"]?.array?.compactMap(\.string) ?? [],
            droppedAssets: json["droppedAssets"]?.array?.compactMap(\.string) ?? [],
            record: json["record"].flatMap { $0.isNull ? nil : $0 })
    }
}
