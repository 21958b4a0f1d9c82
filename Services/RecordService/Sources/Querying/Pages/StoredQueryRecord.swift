internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RecordStorage

/// A stored record as the evaluation in memory sees it.
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
        // A value that cannot be read, as none should be, is as good as none.
        try? record.fields?.value(name, as: type)
    }
}
