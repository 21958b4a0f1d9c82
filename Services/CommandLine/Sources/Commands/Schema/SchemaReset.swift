import ArgumentParser
internal import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda schema reset`: an operator command.
struct SchemaReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Delete all records in development and reset its schema to the production schema.",
        discussion: """
            EXAMPLE
              zonda schema reset --yes
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func validate() throws {
        guard global.environment != .production else { throw ValidationError("Only development can be reset") }
    }

    func run() async throws {
        let container = try global.scope().container
        if !yes { try await Confirmation.ask("Delete all records of \(container) in development?") }
        try await global.withSession { session in
            let answer = try await session.ask(SchemaResetRequest(container: container))
            SchemaReport.show(answer, asJSON: global.json)
        }
    }
}
