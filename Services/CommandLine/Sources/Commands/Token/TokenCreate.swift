import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda token create`.
struct TokenCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an API token of the container's environment, and print it.",
        discussion: """
            EXAMPLES
              zonda token create web --origin https://notes.example.org
              zonda token create app --callback-url cloudkit-icloud.org.example.notes://signed-in
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "What it is called in lists.")
    var name: String

    @Option(
        help: """
            Pages of this origin may use it, scheme://host[:port]; may be repeated. Default: pages of every origin, \
            to none of which the sign-in page then posts a web auth token.
            """)
    var origin: [String] = []

    @Option(
        name: .customLong("callback-url"),
        help: "Where the sign-in page sends the user with the web auth token. Default: to the page that opened it.")
    var callbackURL: String?

    func run() async throws {
        let body = JSONValue.object(
            having: try global.scope().place + [
                ("name", .string(name)), ("origins", origin.isEmpty ? nil : .array(origin.map { .string($0) })),
                ("callbackURL", callbackURL.map { .string($0) }),
            ])
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(.apiTokensCreate, body, limit: .requestLimit)
            _ = global.show(answer) { $0["token"]?.string ?? "" }
        }
    }
}
