import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda container list`.
struct ContainerList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the containers.",
        discussion: """
            EXAMPLE
              zonda container list --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.withSession(isScoped: false) { session in
            for container in try await session.ask(ContainersListRequest()).containers {
                global.show(container, line: ContainerCommand.describe)
            }
        }
    }
}
