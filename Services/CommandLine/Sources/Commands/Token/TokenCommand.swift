import ArgumentParser
import CommandLineSession

/// `zonda token …`: operator commands.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list and revoke a container's API tokens.",
        discussion: """
            An API token belongs to a container's environment. It allows clients to read public data; for all other \
            data, they are referred to the sign-in page. It is not secret, because web pages and apps contain it.
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}
