import ArgumentParser
import CommandLineSession

/// `zonda role revoke`.
struct RoleRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a role from users.",
        discussion: """
            EXAMPLE
              zonda role revoke editors $ZONDA_USER
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var members: RoleMembers

    func run() async throws { try await members.assign(false, global) }
}
