internal import CloudKitModel

/// One side of an operator, with its position.
struct FormatOperand {
    typealias Kind = FormatTree.Operand.Kind

    var kind: Kind
    var position: String.Index
    /// The index of the argument that replaced the placeholder; nil if the operand is not a placeholder.
    var argument: Int?
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
