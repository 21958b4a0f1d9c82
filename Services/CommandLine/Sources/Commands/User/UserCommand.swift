import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user …`: an operator's commands.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Make, list and delete the accounts of people who sign in.",
        discussion: """
            An account belongs to the deployment; each container knows it by a user record name of its own, which is made \
            when it is first wanted.
            """,
        subcommands: [
            UserCreate.self, UserList.self, UserToken.self, UserSignIns.self, UserPassword.self, UserSignOut.self,
            UserDelete.self,
        ])

}
