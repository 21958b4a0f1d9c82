package import CloudKitModel
package import CloudKitQuery
internal import CloudKitSchema

/// The SQL by which indexes and queries see a record's fields. It is written in one place because an index serves only
/// a query that says the very same; and the partial condition's type must stand in the query as a number, since a plan
/// for any parameter cannot rely on it.
///
/// None of the expressions can fail, whatever is stored: a hidden field may hold values of another type. What an
/// extension brings is named with its schema, which no session has in its path.
package enum FieldExpression {
    /// Strings are compared by so many characters and looked at again: an entry of an index is bounded, a string is
    /// not.
    package static let indexedCharacters = 128

    /// The words of a record (``RecordTypeSchema/tokens(of:)``), to be asked with `@>` and `&&`.
    package static let words = "tokens"

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
                + "then left(\(storedText(field)), \(indexedCharacters)) end) collate \"C\""
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

    private static func storedText(_ field: String) -> String { "fields->>\(literal(field))" }

    /// Names are identifiers; the quotes are doubled all the same.
    private static func literal(_ name: String) -> String {
        "'\(name.utf8.contains(UInt8(ascii: "'")) ? name.replacing("'", with: "''") : name)'"
    }

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

extension FieldExpression {
    /// The whole text of a STRING field; null when what is stored is no string.
    package static func text(of field: String) -> String {
        "(case when jsonb_typeof(\(stored(field))) = 'string' then \(storedText(field)) end) collate \"C\""
    }

    /// A text without what `options` call of no account: in small letters (one sigma for both small ones), without the
    /// combining marks U+0300 to U+036F of its decomposed form.
    ///
    /// Text of ASCII alone, most of it, takes a way that is seven times as fast. (Both ways say their collation: two
    /// explicit ones that differ are refused.)
    ///
    /// - Parameter text: SQL of type `text`.
    package static func folded(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return "(\(text)) collate \"C\"" }
        let text = "(\(text))"
        var (plain, other) = ("\(text) collate \"C\"", text)
        if options.contains(.caseInsensitive) {
            plain = "lower(\(text) collate \"C\")"
            other = "replace(lower(\(text) collate \"und-x-icu\"), 'ς', 'σ')"
        }
        if options.contains(.diacriticInsensitive) {
            other = "regexp_replace(normalize(\(other), NFD), '[\\u0300-\\u036F]', '', 'g')"
        }
        return "(case when octet_length(\(text)) = char_length(\(text)) then \(plain) else \(other) collate \"C\" end)"
    }

    /// What a trigram index is made of: the text of a STRING field without case and marks.
    package static func substring(of field: String) -> String {
        folded(text(of: field), [.caseInsensitive, .diacriticInsensitive])
    }
}

extension FieldExpression {
    /// The place of a LOCATION field, a `cube` (``point(latitude:longitude:)``); null when it has none. (Coordinates
    /// are doubles, which the service has checked: the casts cannot fail.)
    package static func point(of field: String) -> String {
        let (latitude, longitude) = ("\(stored(field))->'latitude'", "\(stored(field))->'longitude'")
        return "(case when jsonb_typeof(\(latitude)) = 'number' and jsonb_typeof(\(longitude)) = 'number' "
            + "then \(point(latitude: "(\(latitude))::float8", longitude: "(\(longitude))::float8")) end)"
    }

    /// A place on the sphere with the radius one, by its three coordinates, as a `cube`.
    ///
    /// - Parameters: degrees, SQL of type `float8`.
    package static func point(latitude: String, longitude: String) -> String {
        let (north, east) = ("radians(\(latitude))", "radians(\(longitude))")
        return "record.cube(array[cos(\(north)) * cos(\(east)), cos(\(north)) * sin(\(east)), sin(\(north))])"
    }

    /// The great-circle distance of two places in metres, by the chord between them.
    ///
    /// - Parameters: SQL of type `cube`, of ``point(of:)`` or ``point(latitude:longitude:)``.
    package static func distance(_ one: String, _ other: String) -> String {
        "\(2 * GreatCircle.earthRadius) * asin(least(1, (\(one) operator(record.<->) \(other)) / 2))"
    }
}
