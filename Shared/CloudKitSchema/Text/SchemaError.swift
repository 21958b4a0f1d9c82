/// An error in a schema's text, with its position.
package struct SchemaError: Error, Hashable, Sendable {
    /// One sentence for people, in the style of CloudKit's tools: `Schema validation failed: Was expecting DEFINE`.
    package let message: String
    /// The line of the text, from 1.
    package let line: Int
    /// The character within the line, from 1. If something is missing at the end, this is one past the last
    /// character.
    package let column: Int

    /// The maximum number of characters of a fault in a message, since names in it may be as long as the text.
    private static let maxCharacters = 400

    /// Creates an error for `fault` at `position`. Control characters, which a terminal would interpret, are
    /// replaced by their code points.
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

/// A position in a text: line and character, both from 1.
struct SourcePosition: Hashable, Sendable {
    var line = 1
    var column = 1
}
