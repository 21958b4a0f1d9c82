import ArgumentParser
import CommandLineSession

/// `zonda role assign`.
struct RoleAssign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Assign a role to users.",
        discussion: """
            EXAMPLE
              zonda role assign editors $ZONDA_USER
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var members: RoleMembers

    func run() async throws { try await members.assign(true, global) }
}
