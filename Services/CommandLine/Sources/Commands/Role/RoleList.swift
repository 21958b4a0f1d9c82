import ArgumentParser
import CloudKitWire
import CommandLineSession

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
            let answer = try await session.roles(of: scope.environment, container: scope.container)
            for role in answer["roles"]?.array ?? [] { _ = global.show(role, line: SchemaReport.role) }
        }
    }
}
