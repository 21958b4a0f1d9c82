import ArgumentParser
import CommandLineSession

/// `zonda role …`: commands for operators.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "List, assign and revoke the roles of a schema.",
        subcommands: [RoleList.self, RoleAssign.self, RoleRevoke.self])
}
