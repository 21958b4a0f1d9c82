/// A format that cannot be read: what is wrong with it, and where.
package struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what would be right, for people: `expected a value after '=='`.
    package var message: String
    /// The character of the format, from 1. What is missing at the end is one past the last character.
    package var column: Int

    /// The most characters that are told: names in an error may be as long as the format.
    private static let maxCharacters = 400

    /// `fault` in `format`. What a terminal would obey is told by its number.
    init(_ fault: FormatFault, in format: String) {
        let printable = fault.message.prefix(Self.maxCharacters).unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? "U+" + String(scalar.value, radix: 16, uppercase: true) : String(scalar)
        }
        message = printable.joined()
        column = format.indices.prefix { $0 <= fault.position }.count
        if fault.position == format.endIndex { column += 1 }
    }

    /// The column and the message.
    package var description: String { "column \(column): \(message)" }
}
