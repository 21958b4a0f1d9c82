import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda role …`: an operator's commands.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "List and assign the roles of a schema.",
        subcommands: [RoleList.self, RoleAssign.self, RoleRevoke.self])
}
