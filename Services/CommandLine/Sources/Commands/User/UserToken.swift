import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda user token`.
struct UserToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Sign in an account without its password, and print the web auth token for the container.",
        discussion: """
            For scripts and tests. The token is valid for 30 minutes, or for 14 days with --stay-signed-in; the gateway's \
            answers contain new ones. To revoke it, use zonda user sign-out.

            EXAMPLE
              curl "$ZONDA_URL/database/1/$ZONDA_CONTAINER/development/private/zones/list?ckAPIToken=$ZONDA_API_TOKEN&\
            ckWebAuthToken=$(zonda user token ada@example.org)"
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    @Flag(help: "Make the token valid for 14 days.")
    var staySignedIn = false

    func run() async throws {
        let place = try global.scope().place
        let body = JSONValue.object(
            having: [email.member] + place + [("staysSignedIn", staySignedIn ? true : nil)])
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(.usersToken, body, limit: .requestLimit)
            _ = global.show(answer) { $0["webAuthToken"]?.string ?? "" }
        }
    }
}
