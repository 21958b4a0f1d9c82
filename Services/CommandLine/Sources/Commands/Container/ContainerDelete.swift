import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda container delete`.
struct ContainerDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a container and all its data.",
        discussion: """
            EXAMPLE
              zonda container delete iCloud.org.example.notes
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The container's identifier.")
    var name: String

    func run() async throws {
        try await global.show(answerTo: ContainersDeleteRequest(container: name)) { "\($0.container)  deleted" }
    }
}
