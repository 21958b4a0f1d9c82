import ArgumentParser
internal import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda schema import`: an operator's command.
struct SchemaImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a file the schema of development, as a whole or not at all.",
        discussion: """
            What production has cannot go or change its type. What only development has can: its values are hidden \
            until the same type or field comes back. Prints what has changed.

            EXAMPLE
              zonda schema import notes.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard global.environment != .production else {
            throw ValidationError("A schema is imported into development; zonda schema deploy brings it to production")
        }
    }

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let file = try await SchemaFile(path: file)
            _ = try file.definition()
            let answer = try await session.importSchema(file.text, container: container)
            SchemaReport.show(answer, asJSON: global.json)
        }
    }
}
