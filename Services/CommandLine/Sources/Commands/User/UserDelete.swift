import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user delete`.
struct UserDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account with its sessions, subscriptions, clients and user record names.",
        discussion: """
            The account's data remains in its databases, under its former user record names.

            EXAMPLE
              zonda user delete ada@example.org --yes
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        if !yes { try await Confirmation.ask("Delete the account \(email.email)?") }
        try await global.show(answerTo: UserDeleteRequest(email: email.email)) {
            "\($0.email)  \($0.deleted ? "deleted" : "did not exist")"
        }
    }
}
