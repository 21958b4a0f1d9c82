import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda role list`.
struct RoleList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the roles of an environment and their users.",
        discussion: """
            EXAMPLE
              zonda role list --environment production
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let scope = try global.scope()
        try await global.withSession { session in
            let answer = try await session.ask(
                RolesListRequest(container: scope.container, environment: scope.environment))
            for role in answer.roles { global.show(role, line: SchemaReport.role) }
        }
    }
}
