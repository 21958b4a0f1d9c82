import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user sign-ins`.
struct UserSignIns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-ins",
        abstract:
            "List the sign-ins of an account with their times of creation and last use, origins and applications.",
        discussion: """
            The time of last use is accurate to five minutes. To end all sign-ins, use zonda user sign-out.

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
