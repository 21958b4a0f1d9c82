/// The value of a record's field. There is no null: a field without a value is absent.
package enum FieldValue: Hashable, Sendable {
    /// A string, limited only by the record's size.
    case string(String)
    /// An integer; booleans are 0 and 1.
    case int64(Int64)
    /// A finite number.
    case double(Double)
    /// Milliseconds since 1970-01-01 UTC, possibly negative.
    case timestamp(Int64)
    /// Uninterpreted bytes.
    case bytes([UInt8])
    /// A pointer to a record.
    indirect case reference(Reference)
    /// A file stored separately from the records.
    indirect case asset(Asset)
    /// A point on the earth.
    indirect case location(Location)
    /// Values of one kind, in order. `of` is nil only for an empty list whose element kind is unknown.
    case list([FieldValue], of: FieldType.Base?)

    /// Creates a list of `elements`, all of kind `base`.
    package static func list(_ base: FieldType.Base, _ elements: [FieldValue]) -> FieldValue {
        .list(elements, of: base)
    }

    /// The unencrypted type of the value; nil for an empty list of unknown kind.
    package var type: FieldType? {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .reference: .reference
        case .asset: .asset
        case .location: .location
        case .list(_, let base): base.map { .list($0) }
        }
    }
}
