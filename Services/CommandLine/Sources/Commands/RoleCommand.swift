import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda role …`: an operator's commands.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Say who has the roles of a schema.",
        subcommands: [List.self, Assign.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the roles of an environment with their users.",
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

    struct Assign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a role to users.",
            discussion: """
                EXAMPLE
                  zonda role assign editors $ZONDA_USER
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var members: RoleMembers

        func run() async throws { try await members.assign(true, global) }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a role from users.",
            discussion: """
                EXAMPLE
                  zonda role revoke editors $ZONDA_USER
                """)

        @OptionGroup var global: GlobalOptions
        @OptionGroup var members: RoleMembers

        func run() async throws { try await members.assign(false, global) }
    }
}

/// A role and users.
struct RoleMembers: ParsableArguments {
    @Argument(help: "The role, as the schema names it.")
    var role: String

    @Argument(help: "The users, each '_' and 32 hexadecimal digits.")
    var users: [String]

    func validate() throws {
        guard Set(users).count == users.count else { throw ValidationError("A user is named twice") }
    }

    /// Gives the role or takes it, and prints who has it then.
    func assign(_ isAssigned: Bool, _ global: GlobalOptions) async throws {
        let scope = try global.scope()
        try await global.withSession { session in
            let answer = try await session.assignRole(
                role, to: users, isAssigned: isAssigned, in: scope.environment, container: scope.container)
            _ = global.show(answer, line: SchemaReport.role)
        }
    }
}
