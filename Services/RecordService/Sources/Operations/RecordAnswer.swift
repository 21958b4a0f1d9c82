internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// How records of one zone are written into answers.
struct RecordAnswer {
    let zone: ZoneAddress
    /// The types of the records.
    var schema = SchemaSnapshot()
    /// The addresses of assets; nil: they come without.
    var downloads: AssetDownloads?

    /// The zone's id as answers carry it: its owner is told where there is one.
    var zoneID: ZoneID {
        ZoneID(
            zoneName: ZoneName(unchecked: zone.zone),
            ownerRecordName: zone.scope == "public" ? nil : UserName(unchecked: zone.owner))
    }

    /// Records of the public database carry no zone id (web-services 3.1).
    private var carriedZoneID: ZoneID? { zone.scope == "public" ? nil : zoneID }

    /// Writes a live record.
    func write(
        _ record: StoredRecord, desiredKeys: Set<String>?, numbersAsStrings: Bool, to writer: inout WireWriter
    ) {
        let layout = schema.layout(record.type)
        var url: ((Asset) -> String?)?
        if let downloads, layout?.hasAssets == true {
            let scope = AssetScope(zone)
            url = { downloads.url(of: $0, in: scope) }
        }
        writer.record(
            RecordEnvelope(
                recordName: record.name, recordType: layout?.name ?? "", recordChangeTag: record.changeTag,
                created: record.created.onWire, modified: record.modified.onWire, parent: record.parent,
                zoneID: carriedZoneID),
            fields: record.fields ?? StoredFields(), types: layout?.fields ?? FieldTypes(),
            desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings, downloadURL: url)
    }

    /// Writes a deletion; feeds say of which type the record was.
    func writeTombstone(_ name: String, of type: RecordTypeID? = nil, to writer: inout WireWriter) {
        writer.tombstone(
            recordName: name, recordType: type.flatMap { schema.layout($0)?.name }, zoneID: carriedZoneID)
    }
}
