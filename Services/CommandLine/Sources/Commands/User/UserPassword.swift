import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user password`.
struct UserPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Change or remove an account's password.",
        discussion: """
            Also ends all sign-ins of the account in all containers, unless --keep-sign-ins is given.

            EXAMPLES
              zonda user password ada@example.org --password-stdin
              zonda user password ada@example.org --remove
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument
    @OptionGroup var password: PasswordOptions

    @Flag(help: "Remove the password, so that the account cannot sign in at the sign-in page.")
    var remove = false

    @Flag(help: "Keep the sign-ins of the account.")
    var keepSignIns = false

    func validate() throws {
        guard password.isGiven != remove else {
            throw ValidationError("Specify --password-stdin, --password-file or --remove")
        }
    }

    func run() async throws {
        let body = JSONValue.object(having: [
            email.member, ("password", try password.password().map { .string($0) }),
            ("keepsSignIns", keepSignIns ? true : nil),
        ])
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(.usersPassword, body, limit: .requestLimit)
            _ = global.show(answer) {
                "\($0["email"]?.string ?? "")  password \($0["hasPassword"]?.bool == true ? "changed" : "removed"), "
                    + "sign-ins ended: \($0["sessions"]?.int ?? 0)"
            }
        }
    }
}
