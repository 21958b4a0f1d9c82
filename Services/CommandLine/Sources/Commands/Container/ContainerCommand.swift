import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda container …`: operators' commands.
struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "Create, list and delete containers.",
        subcommands: [ContainerCreate.self, ContainerList.self, ContainerDelete.self])
}

extension ContainerCommand {
    /// Returns a container as a line: `iCloud.org.example.notes  development, production`.
    static func describe(_ container: JSONValue) -> String {
        let environments = (container["environments"]?.array ?? []).compactMap { $0.string ?? $0["name"]?.string }
        return (container["container"]?.string ?? "") + "  " + environments.joined(separator: ", ")
    }
}
