internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import ServiceMessages

/// A changed record with its values, as predicates look at it: of a deleted one the last values.
struct EventRecord: QueryableRecord, Sendable {
    let recordName: String
    let recordType: String
    let zoneName: String
    let createdTimestamp: Int64
    let modifiedTimestamp: Int64
    let createdUserRecordName: String
    let modifiedUserRecordName: String
    let parentRecordName: String?
    /// The values of its fields by their names.
    let fields: [String: FieldValue]
    /// Its bytes in the change log.
    let size: Int

    /// The record of a change; nil when the change has no values, which nobody wanted to be logged then.
    ///
    /// - Throws: `BAD_REQUEST` when what is there is no record.
    init?(_ change: ChangedRecord, zone: String) throws(ServerError) {
        guard let json = change.record else { return nil }
        var writer = WireWriter()
        writer.object { writer in
            writer.key("records")
            writer.array([json]) { writer, record in writer.value(record) }
        }
        size = writer.bytes.count
        guard let read = try WireReply(decoding: writer.bytes).records?.first else { return nil }
        recordName = change.name.rawValue
        recordType = change.type
        zoneName = zone
        createdTimestamp = read.created?.timestamp ?? 0
        modifiedTimestamp = read.modified?.timestamp ?? 0
        createdUserRecordName = read.created?.userRecordName ?? ""
        modifiedUserRecordName = read.modified?.userRecordName ?? ""
        parentRecordName = if case .set(let name) = read.record.parent { name.rawValue } else { nil }
        fields = Dictionary(
            read.record.fields.compactMap { field in field.typedValue.map { (field.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    func value(ofField name: String, as type: FieldType) -> FieldValue? { fields[name] }
}

extension WireField {
    /// The value; an empty list is one of the declared type.
    fileprivate var typedValue: FieldValue? {
        if case .list([], of: nil) = value { .list([], of: declaredType?.base) } else { value }
    }
}

extension EventRecord: QueryableType {
    var name: String { recordType }

    /// The type of the value that it has.
    func type(ofField name: String) -> FieldType? { fields[name]?.type }

    /// All its texts, as in a query of a type without SEARCHABLE fields.
    var fieldsOfWords: [SearchableField] {
        fields.compactMap { name, value in
            guard let type = value.type, type.base == .string else { return nil }
            return SearchableField(name: name, type: type)
        }.sorted { $0.name < $1.name }
    }
}
