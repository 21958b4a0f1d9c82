import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

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
            let answer = try await session.ask(.containersList, [:], limit: .requestLimit)
            for container in answer["containers"]?.array ?? [] {
                _ = global.show(container, line: ContainerCommand.describe)
            }
        }
    }
}
