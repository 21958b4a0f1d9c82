package import CloudKitModel
package import CloudKitQuery
internal import CloudKitSchema

/// The SQL expressions for a record's fields in indexes and queries. They are defined in one place because PostgreSQL
/// uses an index only for queries with exactly the same expression. A query must name the record type as a literal
/// number, as the condition of a partial index does. A generic plan, which must be valid for all values of its
/// parameters, cannot use such an index.
///
/// An expression must not fail, whatever value is stored, because a hidden field can contain values of another type.
/// Extension functions are qualified with the extensions' schema, because it is not in the search path.
package enum FieldExpression {
    /// The number of characters to which strings in an index are truncated, because the size of an index entry is
    /// limited. Queries compare longer strings again, in full.
    package static let indexedCharacters = 128

    /// The words of a record (``RecordTypeSchema/tokens(of:)``), for the `@>` and `&&` operators.
    package static let words = "tokens"

    /// Returns the single value of a field in a form that can be ordered; nil for types whose values have no order.
    /// Values are strings (`collate "C"`) for STRING, REFERENCE (the record's name) and `___etag`, timestamps for
    /// `___createTime` and `___modTime`, and numbers for all others.
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

    /// Returns the list stored in a field. The `@>` operator can search it for an element.
    package static func elements(of field: String) -> String { "(\(stored(field)))" }

    /// Returns the condition that selects the live records of a type.
    package static func records(of type: RecordTypeID) -> String {
        "record_type = \(type.rawValue) and fields is not null"
    }

    private static func stored(_ field: String) -> String { "fields->\(literal(field))" }

    private static func storedText(_ field: String) -> String { "fields->>\(literal(field))" }

    /// Returns a name as an SQL literal. Names are identifiers, which contain no quotes; quotes are doubled as a
    /// precaution.
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
    /// Returns the whole text of a STRING field; null if the stored value is not a string.
    package static func text(of field: String) -> String {
        "(case when jsonb_typeof(\(stored(field))) = 'string' then \(storedText(field)) end) collate \"C\""
    }

    /// Returns `text` without the differences that `options` ignore: in lower case, with only one form of the small
    /// sigma, and without the combining marks U+0300 to U+036F of its decomposed form.
    ///
    /// Most text is ASCII, for which there is a path that is seven times as fast. Both paths specify the same
    /// collation, because PostgreSQL refuses two different explicit collations.
    ///
    /// - Parameter text: an SQL expression of type `text`.
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

    /// Returns the expression of a trigram index: the text of a STRING field in lower case and without combining marks.
    package static func substring(of field: String) -> String {
        folded(text(of: field), [.caseInsensitive, .diacriticInsensitive])
    }
}

extension FieldExpression {
    /// Returns the location stored in a LOCATION field as a `cube` (``point(latitude:longitude:)``); null if the field
    /// has no value. The casts cannot fail, because the coordinates are doubles that the service has checked.
    package static func point(of field: String) -> String {
        let (latitude, longitude) = ("\(stored(field))->'latitude'", "\(stored(field))->'longitude'")
        return "(case when jsonb_typeof(\(latitude)) = 'number' and jsonb_typeof(\(longitude)) = 'number' "
            + "then \(point(latitude: "(\(latitude))::float8", longitude: "(\(longitude))::float8")) end)"
    }

    /// Returns a point on the unit sphere as a `cube` of its three coordinates.
    ///
    /// - Parameters:
    ///   - latitude: an SQL expression of type `float8`, in degrees.
    ///   - longitude: an SQL expression of type `float8`, in degrees.
    package static func point(latitude: String, longitude: String) -> String {
        let (north, east) = ("radians(\(latitude))", "radians(\(longitude))")
        return "record.cube(array[cos(\(north)) * cos(\(east)), cos(\(north)) * sin(\(east)), sin(\(north))])"
    }

    /// Returns the great-circle distance, in metres, between two points, computed from the chord between them.
    ///
    /// - Parameters:
    ///   - one: an SQL expression of type `cube`, from ``point(of:)`` or ``point(latitude:longitude:)``.
    ///   - other: an SQL expression of type `cube`, like `one`.
    package static func distance(_ one: String, _ other: String) -> String {
        "\(2 * GreatCircle.earthRadius) * asin(least(1, (\(one) operator(record.<->) \(other)) / 2))"
    }
}
