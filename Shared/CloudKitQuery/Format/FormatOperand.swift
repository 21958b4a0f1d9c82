internal import CloudKitModel

/// What stands on one side of an operator, and where.
struct FormatOperand {
    enum Kind {
        /// A field, or the words of all of them.
        case key(QueryKey)
        /// `self`: the record, or the words of all of its fields.
        case itself
        /// A field's distance from a place.
        case distance(QueryKey, Location)
        case value(FieldValue)
        case list([FieldValue])
        /// `nil`, `NULL`.
        case null
        /// `tokenize(…)`: the words of a text.
        case words(String)
    }

    var kind: Kind
    var position: String.Index
    /// A number as it is written, for what has to be more exact than a double.
    var digits: String?

    /// Whether this is of the record, and so is compared with what is not.
    var isOfRecord: Bool {
        switch kind {
        case .key, .itself, .distance: true
        case .value, .list, .null, .words: false
        }
    }

    /// The value, if this is a single one.
    var value: FieldValue? { if case .value(let value) = kind { value } else { nil } }

    /// The text, if this is one.
    var text: String? { if case .string(let text)? = value { text } else { nil } }

    /// The number, if this is one.
    var number: Double? {
        switch value {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
