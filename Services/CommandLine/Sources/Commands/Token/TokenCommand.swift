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
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}
