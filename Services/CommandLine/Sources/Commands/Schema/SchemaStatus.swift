import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda schema status`: an operator command.
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
        let body = SchemaStatusRequest(container: scope.container, environment: scope.environment)
        let status = try await global.show(answerTo: body, isScoped: true) {
            SchemaReport.indexes($0.indexes).joined(separator: "\n")
        }
        if !global.json { SchemaReport.warn(status.warnings) }
    }
}
