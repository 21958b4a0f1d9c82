import ArgumentParser
import OperatorMessages

/// `zonda container …`: operator commands.
struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "Create, list and delete containers.",
        subcommands: [ContainerCreate.self, ContainerList.self, ContainerDelete.self])
}

extension ContainerCommand {
    /// Returns a container as a line: `iCloud.org.example.notes  development, production`.
    static func describe(_ container: ContainerDescription) -> String {
        container.container + "  " + container.environments.joined(separator: ", ")
    }
}
