import ArgumentParser
import CommandLineSession

/// `zonda user …`: operator commands.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage users' accounts, passwords and sessions.",
        discussion: """
            An account belongs to the deployment. In each container, it has a different user record name, which is \
            created when it is first needed.
            """,
        subcommands: [
            UserCreate.self, UserList.self, UserToken.self, UserSignIns.self, UserPassword.self, UserSignOut.self,
            UserDelete.self,
        ])
}
