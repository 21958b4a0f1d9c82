import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda key list`.
struct KeyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the server-to-server keys of the container's environment.",
        discussion: """
            EXAMPLES
              zonda key list --environment production
              zonda key list --all --json
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "List the keys of all containers.")
    var all = false

    func run() async throws {
        let scope = all ? nil : try global.scope()
        let request = ServerKeyListRequest(container: scope?.container, environment: scope?.environment.rawValue)
        try await global.list(request, \.serverKeys, line: AccountLine.key)
    }
}
