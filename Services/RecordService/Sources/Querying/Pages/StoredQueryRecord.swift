internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RecordStorage

/// A stored record in the form required for evaluation in memory.
struct StoredQueryRecord: QueryableRecord {
    let record: StoredRecord
    let zoneName: String

    var recordName: String { record.name.rawValue }
    var createdTimestamp: Int64 { record.created.milliseconds }
    var modifiedTimestamp: Int64 { record.modified.milliseconds }
    var createdUserRecordName: String { record.created.user }
    var modifiedUserRecordName: String { record.modified.user }
    var parentRecordName: String? { record.parent?.rawValue }

    func value(ofField name: String, as type: FieldType) -> FieldValue? {
        // A value that cannot be read counts as missing. Such values should not exist.
        try? record.fields?.value(name, as: type)
    }
}
