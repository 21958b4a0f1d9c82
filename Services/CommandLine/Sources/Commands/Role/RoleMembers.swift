import ArgumentParser
import CommandLineSession
import OperatorMessages

/// The arguments that specify a role and users.
struct RoleMembers: ParsableArguments {
    @Argument(help: "The role's name in the schema.")
    var role: String

    @Argument(help: "The users, each as '_' followed by 32 hexadecimal digits.")
    var users: [String]

    func validate() throws {
        guard Set(users).count == users.count else { throw ValidationError("A user is specified twice") }
    }

    /// Assigns or revokes the role, and prints the users who have it afterwards.
    func assign(_ isAssigned: Bool, _ global: GlobalOptions) async throws {
        let scope = try global.scope()
        let body = RolesAssignRequest(
            container: scope.container, environment: scope.environment, role: role, users: users, assigned: isAssigned)
        try await global.show(answerTo: body, isScoped: true, line: SchemaReport.role)
    }
}
