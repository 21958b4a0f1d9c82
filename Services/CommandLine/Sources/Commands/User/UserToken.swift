import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda user token`.
struct UserToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Sign in to an account without its password, and print a web auth token for the container.",
        discussion: """
            This command is for scripts and tests. The token is valid for 30 minutes, or for 14 days with \
            --stay-signed-in. The gateway's answers contain new tokens. To revoke all of the account's tokens, use \
            zonda user sign-out.

            EXAMPLE
              curl "$ZONDA_URL/database/1/$ZONDA_CONTAINER/development/private/zones/list?ckAPIToken=$ZONDA_API_TOKEN&\
            ckWebAuthToken=$(zonda user token ada@example.org)"
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var email: EmailArgument

    @Flag(help: "Make the token valid for 14 days.")
    var staySignedIn = false

    func run() async throws {
        let scope = try global.scope()
        let request = UserTokenRequest(
            email: email.email, container: scope.container, environment: scope.environment.rawValue,
            staysSignedIn: staySignedIn ? true : nil)
        try await global.show(answerTo: request, line: \.webAuthToken)
    }
}
