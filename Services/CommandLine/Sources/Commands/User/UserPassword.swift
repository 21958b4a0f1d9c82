import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user password`.
struct UserPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Change or remove an account's password.",
        discussion: """
            Also ends the account's sessions in all containers, unless --keep-sign-ins is given.

            EXAMPLES
              zonda user password ada@example.org --password-stdin
              zonda user password ada@example.org --remove
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument
    @OptionGroup var password: PasswordOptions

    @Flag(help: "Remove the password, so that the account cannot sign in on the sign-in page.")
    var remove = false

    @Flag(help: "Keep the account's sessions.")
    var keepSignIns = false

    func validate() throws {
        guard password.isGiven != remove else {
            throw ValidationError("Specify --password-stdin, --password-file or --remove")
        }
    }

    func run() async throws {
        let request = UserPasswordRequest(
            email: email.email, password: try password.password(), keepsSignIns: keepSignIns ? true : nil)
        try await global.show(answerTo: request) {
            "\($0.email)  password \($0.hasPassword ? "changed" : "removed"), sessions ended: \($0.sessions)"
        }
    }
}
