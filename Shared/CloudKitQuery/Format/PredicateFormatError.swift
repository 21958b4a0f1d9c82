/// An error in a format, with its position.
package struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the expected form, for people: `expected a value after '=='`.
    package var message: String
    /// The character of the format, from 1. If something is missing at the end, this is one past the last character.
    package var column: Int

    /// The maximum number of characters of a fault in a message, since names in it may be as long as the format.
    private static let maxCharacters = 400

    /// Creates an error for `fault` in `format`. Control characters, which a terminal would interpret, are replaced
    /// by their code points.
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
