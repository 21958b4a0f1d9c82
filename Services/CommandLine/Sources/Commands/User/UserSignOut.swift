import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user sign-out`.
struct UserSignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "End all of an account's sessions, in all containers.",
        discussion: """
            The account's web auth tokens are refused within five seconds, and its registered clients are deleted.

            EXAMPLE
              zonda user sign-out ada@example.org
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    func run() async throws {
        try await global.show(answerTo: UserSignOutRequest(email: email.email)) {
            "\($0.email)  sessions ended: \($0.sessions)"
        }
    }
}
