/// The value of a record's field. There is no null: a field without a value is absent.
package enum FieldValue: Hashable, Sendable {
    /// Text of any length the record has room for.
    case string(String)
    /// A whole number; booleans are 0 and 1.
    case int64(Int64)
    /// A finite number.
    case double(Double)
    /// Milliseconds since 1970-01-01 UTC, possibly negative.
    case timestamp(Int64)
    /// Uninterpreted bytes.
    case bytes([UInt8])
    /// A pointer to a record.
    indirect case reference(Reference)
    /// A file kept beside the records.
    indirect case asset(Asset)
    /// A place on earth.
    indirect case location(Location)
    /// Values of one kind, in order. `of` is nil only for an empty list whose element kind nobody told.
    case list([FieldValue], of: FieldType.Base?)

    /// A list of `base` holding `elements`, which all have that kind.
    package static func list(_ base: FieldType.Base, _ elements: [FieldValue]) -> FieldValue {
        .list(elements, of: base)
    }

    /// The plain type of the value; nil for a list that is empty and of unknown kind.
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
