/// What is wrong with a schema's text, and where.
package struct SchemaError: Error, Hashable, Sendable {
    /// One sentence for people, in the words of CloudKit's tools: `Schema validation failed: Was expecting DEFINE`.
    package let message: String
    /// The line of the text, from 1.
    package let line: Int
    /// The character within the line, from 1. An end of text that came too early is one past the last character.
    package let column: Int
}
