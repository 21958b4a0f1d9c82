internal import CloudKitModel
package import CloudKitWire

extension StoredRecord {
    /// The record dictionary as the change log has it: as answers carry it, but for encrypted fields, what assets have besides
    /// checksum and size, and the zone, which is the event's.
    package func logged(by layout: RecordLayout) -> JSONValue? {
        var writer = WireWriter(capacity: 512 + size)
        writer.record(
            RecordEnvelope(
                recordName: name, recordType: layout.name, recordChangeTag: changeTag, created: created.onWire,
                modified: modified.onWire, parent: parent),
            fields: fields ?? StoredFields(), types: layout.fields)
        // It was just written.
        guard let record = try? JSONValue(parsing: writer.bytes) else { return nil }
        return layout.hasAssets ? record.withBareAssets : record
    }
}

extension JSONValue {
    /// A record dictionary whose assets are their checksum and size.
    fileprivate var withBareAssets: JSONValue {
        replacing("fields") { fields in
            .object(
                (fields.members ?? []).map { field in
                    guard field.value["type"]?.string?.hasPrefix("ASSETID") == true else { return field }
                    return Member(field.key, field.value.replacing("value", \.bareAssets))
                })
        }
    }

    /// Of an asset, or each of a list.
    private var bareAssets: JSONValue {
        if case .array(let assets) = self { return .array(assets.map(\.bareAssets)) }
        return .object((members ?? []).filter { ["fileChecksum", "size"].contains($0.key) })
    }

    private func replacing(_ key: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        .object((members ?? []).map { $0.key == key ? Member(key, change($0.value)) : $0 })
    }
}

extension StoredRecord.Stamp {
    /// The stamp as record dictionaries carry it.
    package var onWire: RecordEnvelope.Stamp {
        RecordEnvelope.Stamp(timestamp: milliseconds, userRecordName: user, deviceID: device)
    }
}
