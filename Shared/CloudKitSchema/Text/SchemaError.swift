/// What is wrong with a schema's text, and where.
package struct SchemaError: Error, Hashable, Sendable {
    /// One sentence for people, in the manner of CloudKit's tools: `Schema validation failed: Was expecting DEFINE`.
    package let message: String
    /// The line of the text, from 1.
    package let line: Int
    /// The character within the line, from 1. What is missing at the end is one past the last character.
    package let column: Int

    /// The most characters that are told: names in an error may be as long as the text.
    private static let maxCharacters = 400

    /// `fault` at `position`. What a terminal would obey is told by its number.
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

/// A place in a text, in lines and characters from 1.
struct SourcePosition: Hashable, Sendable {
    var line = 1
    var column = 1
}
