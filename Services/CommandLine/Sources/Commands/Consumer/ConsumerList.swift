import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda consumer list`.
struct ConsumerList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the consumers and their grants.",
        discussion: """
            EXAMPLE
              zonda consumer list --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.list(ConsumersListRequest(), \.consumers, line: ConsumerCommand.describe)
    }
}
