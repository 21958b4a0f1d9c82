import ArgumentParser
internal import CloudKitSchema
import CloudKitWire
import CommandLineSession

/// `zonda schema validate`: needs no server.
struct SchemaValidate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a schema file without a server.",
        discussion: """
            Exits with status 0 if the file is valid. Otherwise, prints the error to standard error, preceded \
            by FILE:LINE:COLUMN:, and exits with status 1. Also warns about declared indexes that are not supported: \
            QUERYABLE on BYTES fields.

            EXAMPLES
              zonda schema validate notes.ckdb
              zonda schema validate --print - < notes.ckdb > canonical.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Print the schema in the export format: sorted, aligned and without comments.")
    var print = false

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    func run() async throws {
        try await global.failing {
            let schema = try await SchemaFile(path: file).definition()
            let text = schema.formatted()
            if global.json {
                let printed: JSONValue? = print ? .string(text) : nil
                let warnings = JSONValue.array(schema.warnings.map { .string($0) })
                Console.print(
                    JSONValue.object(having: [("isValid", true), ("schema", printed), ("warnings", warnings)]).text)
            } else {
                if print { Console.print(String(text.dropLast())) }
                SchemaReport.warn(schema.warnings)
            }
        }
    }
}
