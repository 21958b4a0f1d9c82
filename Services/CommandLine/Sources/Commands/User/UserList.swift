import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user list`.
struct UserList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts and their user record names.",
        discussion: """
            EXAMPLE
              zonda user list --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.list(UserListRequest(), \.users, line: AccountLine.user)
    }
}
