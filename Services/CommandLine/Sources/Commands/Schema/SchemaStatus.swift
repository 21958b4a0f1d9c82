import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda schema status`: an operator's command.
struct SchemaStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List the indexes of an environment, with their progress, size and use.",
        discussion: """
            An index slows down every save. To remove an index that no query uses, remove its keyword from the schema, \
            and then import and deploy the schema.

            EXAMPLE
              zonda schema status --environment production
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let scope = try global.scope()
        try await global.withSession { session in
            let status = try await session.schemaStatus(of: scope.environment, container: scope.container)
            for line in global.json ? [status.text] : SchemaReport.indexes(status) { Console.print(line) }
            if !global.json { SchemaReport.warn(status) }
        }
    }
}
