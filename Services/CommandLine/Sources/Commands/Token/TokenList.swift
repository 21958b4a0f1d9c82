import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

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
        let scope = all ? nil : try global.scope()
        let request = APITokenListRequest(container: scope?.container, environment: scope?.environment.rawValue)
        try await global.list(request, \.apiTokens, line: AccountLine.token)
    }
}
