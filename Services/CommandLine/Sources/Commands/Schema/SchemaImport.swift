import ArgumentParser
internal import CloudKitModel
import CloudKitWire
import CommandLineSession

/// `zonda schema import`: an operator's command.
struct SchemaImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Replace the schema of development by that of a file, atomically.",
        discussion: """
            Types and fields of production cannot be removed, and fields of production cannot change their type. If a type \
            or field that exists only in development is removed, its values are hidden until it is added again. Prints \
            the changes.

            EXAMPLE
              zonda schema import notes.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard global.environment != .production else {
            throw ValidationError(
                "A schema can only be imported into development; deploy it to production by zonda schema deploy")
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
