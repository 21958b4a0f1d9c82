import ArgumentParser
import CommandLineSession

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
