import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda container create`.
struct ContainerCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a container with its two environments, unless it already exists.",
        discussion: """
            EXAMPLE
              zonda container create iCloud.org.example.notes
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The container's identifier.")
    var name: String

    func run() async throws {
        try await global.show(answerTo: ContainersCreateRequest(container: name)) {
            "\(ContainerCommand.describe($0))  \($0.created == true ? "created" : "exists")"
        }
    }
}
