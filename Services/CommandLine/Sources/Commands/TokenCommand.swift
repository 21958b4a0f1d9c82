import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda token …`: an operator's commands.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke a container's API tokens.",
        discussion: """
            An API token belongs to a container's environment. Who has it reads what is public, and is sent to the \
            sign-in page for everything else. It is no secret: it stands in web pages and apps.
            """,
        subcommands: [Create.self, List.self, Revoke.self])
}

extension TokenCommand {
    /// `zonda token create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
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
                let answer = try await session.ask(.apiTokensCreate, body, limit: GlobalOptions.requestLimit)
                _ = global.show(answer) { $0["token"]?.string ?? "" }
            }
        }
    }

    /// `zonda token list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the API tokens of the container's environment.",
            discussion: """
                EXAMPLES
                  zonda token list
                  zonda token list --all --json
                """)

        @OptionGroup var global: GlobalOptions

        @Flag(help: "Those of all containers.")
        var all = false

        func run() async throws {
            let filter = try global.filter(all: all)
            try await global.withSession(isScoped: false) { session in
                try await session.pages(.apiTokensList, "apiTokens", filter: filter) {
                    _ = global.show($0, line: AccountLine.token)
                }
            }
        }
    }

    /// `zonda token revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke API tokens: they are refused within five seconds.",
            discussion: """
                Who signed in with one stays signed in, and needs another API token.

                EXAMPLE
                  zonda token revoke $ZONDA_API_TOKEN
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The tokens.")
        var tokens: [String]

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                for token in tokens {
                    let answer = try await session.ask(
                        .apiTokensRevoke, ["token": .string(token)], limit: GlobalOptions.requestLimit)
                    _ = global.show(answer) {
                        "\($0["token"]?.string ?? "")  \($0["revoked"]?.bool == true ? "revoked" : "was not good")"
                    }
                }
            }
        }
    }
}
