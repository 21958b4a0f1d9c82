import CloudKitSchema
import CommandLineSession

/// A schema's text, and where it came from.
struct SchemaFile: Sendable {
    /// More than any schema has: what is longer is not read to its end.
    private static let maxBytes = 2 * 1024 * 1024

    /// The name that errors begin with: the path, or what stands for standard input.
    let name: String
    /// The text.
    let text: String

    /// A text that was read elsewhere.
    init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// Reads `path`; `-` is standard input.
    ///
    /// - Throws: `.local(.file)` when it cannot be read or is too long for a schema.
    init(path: String) async throws(RequestFailure) {
        do throws(LineReader.Fault) {
            var lines = try LineReader(path: path)
            var text: [UInt8] = []
            while let line = try await lines.next() {
                text += line + [UInt8(ascii: "\n")]
                guard text.count <= Self.maxBytes else {
                    throw LineReader.Fault(description: "'\(path)' is too long for a schema")
                }
            }
            // The last line may have had no end; an error there points behind its last character.
            self.init(
                name: path == "-" ? "<standard input>" : path,
                text: String(decoding: text.prefix(lines.readBytes), as: UTF8.self))
        } catch {
            throw .local(.file, reason: error.description)
        }
    }

    /// What the text says.
    ///
    /// - Throws: a ``SchemaFault`` for a text that is no schema.
    func definition() throws(SchemaFault) -> SchemaDefinition {
        do {
            return try SchemaDefinition(parsing: text)
        } catch {
            throw SchemaFault(name: name, error: error)
        }
    }
}
