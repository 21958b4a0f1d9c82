/// An error in a schema's text, with its position.
package struct SchemaError: Error, Hashable, Sendable {
    /// One human-readable sentence, in the style of CloudKit's tools: `Schema validation failed: Was expecting DEFINE`.
    package let message: String
    /// The line in the text, counted from 1.
    package let line: Int
    /// The position within the line, in characters counted from 1. If something is missing at the end, this is the
    /// position after the last character.
    package let column: Int

    /// The maximum number of characters of `fault` in a message. A longer fault is truncated, because it might contain
    /// a name as long as the text.
    private static let maxCharacters = 400

    /// Creates an error for `fault` at `position`. Control characters are replaced by their code points, because a
    /// terminal would interpret them.
    init(_ fault: String, at position: SourcePosition) {
        let printable = fault.prefix(Self.maxCharacters).unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? "U+" + String(scalar.value, radix: 16, uppercase: true) : String(scalar)
        }
        message = "Schema validation failed: " + printable.joined()
        line = position.line
        column = position.column
    }
}

/// A position in text: the line and the character within the line, both counted from 1.
struct SourcePosition: Hashable, Sendable {
    var line = 1
    var column = 1
}
