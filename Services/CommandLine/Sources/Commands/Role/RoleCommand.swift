import ArgumentParser
import CommandLineSession

/// `zonda role …`: operator commands.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "List, assign and revoke the roles of a schema.",
        subcommands: [RoleList.self, RoleAssign.self, RoleRevoke.self])
}
