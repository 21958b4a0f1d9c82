import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda user sign-ins`.
struct UserSignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins",
        abstract:
            "List an account's sessions, with their times, containers, applications and network addresses.",
        discussion: """
            The time of the last use is accurate to five minutes. To end all sessions, use zonda user sign-out.

            EXAMPLE
              zonda user sign-ins ada@example.org
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    func run() async throws {
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(UserSignInsRequest(email: email.email))
            for signIn in answer.signIns { global.show(signIn, line: AccountLine.signIn) }
        }
    }
}
