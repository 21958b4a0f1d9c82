import ArgumentParser
internal import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda schema import`: an operator command.
struct SchemaImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Atomically replace the development schema with the one in a file.",
        discussion: """
            Prints the changes. Types and fields that exist in production cannot be removed, and the types of such \
            fields cannot be changed. If a type or field that exists only in development is removed, its values are \
            hidden until it is added again.

            EXAMPLE
              zonda schema import notes.ckdb
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard global.environment != .production else {
            throw ValidationError(
                "A schema can be imported only into development: use zonda schema deploy to deploy it to production")
        }
    }

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let file = try await SchemaFile(path: file)
            _ = try file.definition()
            let answer = try await session.ask(SchemaImportRequest(container: container, schema: file.text))
            SchemaReport.show(answer, asJSON: global.json)
        }
    }
}
