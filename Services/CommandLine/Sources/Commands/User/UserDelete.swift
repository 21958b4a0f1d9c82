import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user delete`.
struct UserDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account with its sign-ins, subscriptions, clients, and user record names.",
        discussion: """
            Its data stay in its databases, under its former user record names.

            EXAMPLE
              zonda user delete ada@example.org --yes
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        if !yes { try await Confirmation.ask("Delete the account \(email.email)?") }
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(
                .usersDelete, .object(having: [email.member]), limit: .requestLimit)
            _ = global.show(answer) {
                "\($0["email"]?.string ?? "")  \($0["deleted"]?.bool == true ? "deleted" : "did not exist")"
            }
        }
    }
}
