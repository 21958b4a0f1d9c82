internal import CloudKitModel

/// The result of parsing a number in a format.
enum FormatNumber: Equatable {
    /// An `.int64`, or a `.double` for a number that has a point or an exponent or is too large for an integer.
    case value(FieldValue)
    /// Not a number.
    case malformed
    /// A number outside the range of all field types.
    case tooLarge

    /// Parses a number with an optional sign: a decimal number with or without an exponent, or an integer with the
    /// prefix `0x`, `0b` or `0o`.
    init(_ text: String) {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        if let radix = Self.radix(digits.prefix(2)) {
            self = Self.whole(String(text.dropLast(digits.count)), digits.dropFirst(2), radix)
        } else if DecimalText(text) == nil {
            self = .malformed
        } else if let whole = Int64(text) {
            self = .value(.int64(whole))
        } else if let double = Double(text), double.isFinite {
            self = .value(.double(double))
        } else {
            self = .tooLarge
        }
    }

    private static func radix(_ prefix: Substring) -> Int? {
        switch prefix {
        case "0x", "0X": 16
        case "0b", "0B": 2
        case "0o", "0O": 8
        default: nil
        }
    }

    private static func whole(_ sign: String, _ digits: Substring, _ radix: Int) -> FormatNumber {
        // The digits are checked because the initializer of Int64 would also accept a sign here.
        guard !digits.isEmpty, digits.allSatisfy({ ($0.isASCII ? $0.hexDigitValue : nil) ?? radix < radix }) else {
            return .malformed
        }
        return Int64(sign + digits, radix: radix).map { .value(.int64($0)) } ?? .tooLarge
    }
}
