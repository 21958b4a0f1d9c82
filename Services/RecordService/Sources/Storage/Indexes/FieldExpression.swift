package import CloudKitModel
internal import CloudKitSchema

/// The SQL by which indexes and queries see a record's fields. It is written in one place because an index serves only
/// a query that says the very same; and the partial condition's type must stand in the query as a number, since a plan
/// for any parameter cannot rely on it.
///
/// None of the expressions can fail, whatever is stored: a hidden field may hold values of another type.
package enum FieldExpression {
    /// Strings are compared by so many characters and looked at again: an entry of an index is bounded, a string is
    /// not.
    package static let indexedCharacters = 128

    /// The single value of a field as something with an order; nil for types that have none. Values are strings
    /// (`collate "C"`) for STRING, REFERENCE (the record's name) and `___etag`, timestamps for `___createTime` and
    /// `___modTime`, and numbers for the rest.
    package static func value(of field: String, type: FieldType) -> String? {
        if let system = SystemField(rawValue: field) { return column(of: system) }
        guard !type.isList, !type.isEncrypted else { return nil }
        let stored = stored(field)
        return switch type.base {
        case .string:
            "(case when jsonb_typeof(\(stored)) = 'string' "
                + "then left(\(text(field)), \(indexedCharacters)) end) collate \"C\""
        case .reference:
            "(case when jsonb_typeof(\(stored)) = 'object' then \(stored)->>'recordName' end) collate \"C\""
        case .int64, .double, .number, .timestamp:
            "(case when jsonb_typeof(\(stored)) = 'number' then (\(stored))::numeric end)"
        case .bytes, .asset, .location: nil
        }
    }

    /// The list of a field, to be asked with `@>` for one of its elements.
    package static func elements(of field: String) -> String { "(\(stored(field)))" }

    /// The live records of a type.
    package static func records(of type: RecordTypeID) -> String {
        "record_type = \(type.rawValue) and fields is not null"
    }

    private static func stored(_ field: String) -> String { "fields->\(literal(field))" }

    private static func text(_ field: String) -> String { "fields->>\(literal(field))" }

    /// Names are identifiers; the quotes are doubled all the same.
    private static func literal(_ name: String) -> String { "'\(name.replacing("'", with: "''"))'" }

    private static func column(of field: SystemField) -> String {
        switch field {
        case .createTime: "created_at"
        case .createdBy: "created_by"
        case .etag: "change_tag"
        case .modTime: "modified_at"
        case .modifiedBy: "modified_by"
        case .recordID: "name"
        }
    }
}
