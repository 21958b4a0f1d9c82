internal import CloudKitModel
package import CloudKitWire

extension StoredRecord {
    /// Returns the record dictionary for the change log. It is the same as in answers, but without encrypted fields and
    /// without the zone, which the event names. For each asset, it contains only the checksum and the size.
    package func logged(by layout: RecordLayout) -> JSONValue? {
        var writer = WireWriter(capacity: 512 + size)
        writer.record(
            RecordEnvelope(
                recordName: name, recordType: layout.name, recordChangeTag: changeTag, created: created.onWire,
                modified: modified.onWire, parent: parent),
            fields: fields ?? StoredFields(), types: layout.fields)
        // This cannot fail, because the JSON was written above.
        guard let record = try? JSONValue(parsing: writer.bytes) else { return nil }
        return layout.hasAssets ? record.withBareAssets : record
    }
}

extension JSONValue {
    /// The record dictionary with assets reduced to checksum and size.
    fileprivate var withBareAssets: JSONValue {
        replacing("fields") { fields in
            .object(
                (fields.members ?? []).map { field in
                    guard field.value["type"]?.string?.hasPrefix("ASSETID") == true else { return field }
                    return Member(field.key, field.value.replacing("value", \.bareAssets))
                })
        }
    }

    /// An asset, or each asset in a list, reduced to checksum and size.
    private var bareAssets: JSONValue {
        if case .array(let assets) = self { return .array(assets.map(\.bareAssets)) }
        return .object((members ?? []).filter { ["fileChecksum", "size"].contains($0.key) })
    }

    private func replacing(_ key: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        .object((members ?? []).map { $0.key == key ? Member(key, change($0.value)) : $0 })
    }
}

extension StoredRecord.Stamp {
    /// The stamp in the form that record dictionaries use.
    package var onWire: RecordEnvelope.Stamp {
        RecordEnvelope.Stamp(timestamp: milliseconds, userRecordName: user, deviceID: device)
    }
}
