import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda token list`.
struct TokenList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the API tokens of the container's environment.",
        discussion: """
            EXAMPLES
              zonda token list
              zonda token list --all --json
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "List the tokens of all containers.")
    var all = false

    func run() async throws {
        try await global.list(.apiTokensList, "apiTokens", filter: try global.filter(all: all), line: AccountLine.token)
    }
}
