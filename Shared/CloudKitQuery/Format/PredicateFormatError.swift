/// An error in a predicate's format, with its position.
package struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The human-readable message, which states the expected form, such as `expected a value after '=='`.
    package var message: String
    /// The position of the error in the format, in characters counted from 1. If something is missing at the end, this
    /// is the position after the last character.
    package var column: Int

    /// The maximum number of characters in a message. A longer message is truncated, because it might contain a name
    /// that is as long as the format.
    private static let maxCharacters = 400

    /// Creates an error for `fault` in `format`. Control characters are replaced by their code points, because a
    /// terminal would interpret them.
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
