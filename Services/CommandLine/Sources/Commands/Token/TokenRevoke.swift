import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda token revoke`.
struct TokenRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke API tokens; they are refused within five seconds.",
        discussion: """
            Users who signed in with a token stay signed in, but their clients need another API token.

            EXAMPLE
              zonda token revoke $ZONDA_API_TOKEN
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The tokens.")
    var tokens: [String]

    func run() async throws {
        try await global.withSession(isScoped: false) { session in
            for token in tokens {
                let answer = try await session.ask(APITokenRevokeRequest(token: token))
                global.show(answer) { AccountLine.revocation($0.token, wasActive: $0.revoked) }
            }
        }
    }
}
