import CloudKitSchema
import CommandLineSession

/// The text of a schema and its source.
struct SchemaFile: Sendable {
    /// The maximum size in bytes, which no valid schema reaches. Larger files are not read to the end.
    private static let maxBytes = 2 * 1024 * 1024

    /// The name in errors: the path, or `<standard input>`.
    let name: String
    /// The text.
    let text: String

    /// Creates a schema file from its text.
    init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// Reads `path`; `-` for standard input.
    ///
    /// - Throws: `.local(.file)` if the file cannot be read or is too large.
    init(path: String) async throws(RequestFailure) {
        do throws(LineReader.Fault) {
            var lines = try LineReader(path: path)
            var text: [UInt8] = []
            while let line = try await lines.next() {
                text += line + [UInt8(ascii: "\n")]
                guard text.count <= Self.maxBytes else {
                    throw LineReader.Fault(description: "'\(path)' is too large for a schema")
                }
            }
            // If the text does not end with a newline, the one that the loop added is dropped. An error at the end of
            // the text is then reported at the position after its last character.
            self.init(
                name: path == "-" ? "<standard input>" : path,
                text: String(decoding: text.prefix(lines.readBytes), as: UTF8.self))
        } catch {
            throw .local(.file, reason: error.description)
        }
    }

    /// Parses the text.
    ///
    /// - Throws: a ``SchemaFault`` if it is invalid.
    func definition() throws(SchemaFault) -> SchemaDefinition {
        do {
            return try SchemaDefinition(parsing: text)
        } catch {
            throw SchemaFault(name: name, error: error)
        }
    }
}
