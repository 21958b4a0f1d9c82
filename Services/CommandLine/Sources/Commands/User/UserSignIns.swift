import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user sign-ins`.
struct UserSignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins",
        abstract:
            "List the sign-ins of an account: when each was made and last used, from where, for which application.",
        discussion: """
            The last use is known to within five minutes. zonda user sign-out ends all of them.

            EXAMPLE
              zonda user sign-ins ada@example.org
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    func run() async throws {
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(
                .usersSignIns, .object(having: [email.member]), limit: .requestLimit)
            for signIn in answer["signIns"]?.array ?? [] { _ = global.show(signIn, line: AccountLine.signIn) }
        }
    }
}
