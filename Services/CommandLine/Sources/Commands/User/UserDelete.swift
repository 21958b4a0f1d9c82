import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user delete`.
struct UserDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account with its sign-ins, subscriptions, clients, and names in containers.",
        discussion: """
            What it saved stays in its databases, under the user record names that it had.

            EXAMPLE
              zonda user delete ada@example.org --yes
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
        if !yes { try await Confirmation.ask("Delete the account \(email.email)?") }
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(
                .usersDelete, .object(having: [email.member]), limit: .requestLimit)
            _ = global.show(answer) {
                "\($0["email"]?.string ?? "")  \($0["deleted"]?.bool == true ? "deleted" : "was not there")"
            }
        }
    }
}
