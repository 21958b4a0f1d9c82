import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda schema status`: an operator's command.
struct SchemaStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List the indexes of an environment: how far they are, their size and their use.",
        discussion: """
            An index that no query has used costs every save: leave its word out of the schema, import and deploy.

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
