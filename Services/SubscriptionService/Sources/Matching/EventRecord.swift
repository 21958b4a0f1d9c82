internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import ServiceMessages

/// A changed record with its values, for the evaluation of predicates. The values of a deleted record are its last
/// values.
struct EventRecord: QueryableRecord, Sendable {
    let recordName: String
    let recordType: String
    let zoneName: String
    let createdTimestamp: Int64
    let modifiedTimestamp: Int64
    let createdUserRecordName: String
    let modifiedUserRecordName: String
    let parentRecordName: String?
    /// The values of the record's fields, keyed by field name.
    let fields: [String: FieldValue]
    /// The record's size in the change log, in bytes.
    let size: Int

    /// Creates the record of a change; returns nil if the change was logged without values because no query
    /// subscription watched the type.
    ///
    /// - Throws: `BAD_REQUEST` if the record cannot be parsed.
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
    /// The field's value. An empty list gets the declared type.
    fileprivate var typedValue: FieldValue? {
        if case .list([], of: nil) = value { .list([], of: declaredType?.base) } else { value }
    }
}

extension EventRecord: QueryableType {
    var name: String { recordType }

    /// Returns the type of a field's value; nil if the record has no such field.
    func type(ofField name: String) -> FieldType? { fields[name]?.type }

    /// All string fields, as in a query on a type without SEARCHABLE fields.
    var fieldsOfWords: [SearchableField] {
        fields.compactMap { name, value in
            guard let type = value.type, type.base == .string else { return nil }
            return SearchableField(name: name, type: type)
        }.sorted { $0.name < $1.name }
    }
}
