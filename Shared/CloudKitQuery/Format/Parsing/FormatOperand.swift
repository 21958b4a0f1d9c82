internal import CloudKitModel

/// One side of an operator, with its position.
struct FormatOperand {
    enum Kind {
        /// A field, or the words of all fields.
        case key(QueryKey)
        /// `self`: the record, or the words of all its fields.
        case itself
        /// A field's distance from a location.
        case distance(QueryKey, Location)
        case value(FieldValue)
        case list([FieldValue])
        /// `nil`, `NULL`.
        case null
        /// `tokenize(…)`: the words of a string.
        case words(String)
    }

    var kind: Kind
    var position: String.Index
    /// A number as written, for uses that require more precision than a double has.
    var digits: String?

    /// Whether this operand is read from the record. Such an operand must be compared with one that is not read from
    /// the record.
    var isOfRecord: Bool {
        switch kind {
        case .key, .itself, .distance: true
        case .value, .list, .null, .words: false
        }
    }

    /// The value, if the operand is a single value.
    var value: FieldValue? { if case .value(let value) = kind { value } else { nil } }

    /// The string, if the operand is one.
    var text: String? { if case .string(let text)? = value { text } else { nil } }

    /// The number, if the operand is one.
    var number: Double? {
        switch value {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
