import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda token create`.
struct TokenCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an API token for the container's environment, and print it.",
        discussion: """
            EXAMPLES
              zonda token create web --origin https://notes.example.org
              zonda token create app --callback-url cloudkit-icloud.org.example.notes://signed-in
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The name shown in lists.")
    var name: String

    @Option(
        help: """
            An origin whose pages may use the token, scheme://host[:port]; may be repeated. Default: all origins, but \
            the sign-in page then does not post a web auth token to any of them.
            """)
    var origin: [String] = []

    @Option(
        name: .customLong("callback-url"),
        help:
            "The URL to which the sign-in page sends the user with a web auth token. Default: the page that opened it."
    )
    var callbackURL: String?

    func run() async throws {
        let scope = try global.scope()
        let request = APITokenCreateRequest(
            container: scope.container, environment: scope.environment.rawValue, name: name,
            origins: origin.isEmpty ? nil : origin, callbackURL: callbackURL)
        try await global.show(answerTo: request, line: \.token)
    }
}
