import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda container …`: an operator's commands.
struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container",
        abstract: "Make, list and delete containers.",
        subcommands: [Create.self, List.self, Delete.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a container with its two environments; one that exists stays as it is.",
            discussion: """
                EXAMPLE
                  zonda container create iCloud.org.example.notes
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The container's identifier.")
        var name: String

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .containersCreate, ["container": .string(name)], limit: GlobalOptions.requestLimit)
                _ = global.show(answer) { "\(describe($0))  \($0["created"]?.bool == true ? "created" : "was there")" }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the containers.",
            discussion: """
                EXAMPLE
                  zonda container list --json
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(.containersList, [:], limit: GlobalOptions.requestLimit)
                for container in answer["containers"]?.array ?? [] { _ = global.show(container, line: describe) }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a container with everything in it.",
            discussion: """
                EXAMPLE
                  zonda container delete iCloud.org.example.notes
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The container's identifier.")
        var name: String

        func run() async throws {
            try await global.withSession(isScoped: false) { session in
                let answer = try await session.ask(
                    .containersDelete, ["container": .string(name)], limit: GlobalOptions.requestLimit)
                _ = global.show(answer) { "\($0["container"]?.string ?? name)  deleted" }
            }
        }
    }
}

private func describe(_ container: JSONValue) -> String {
    let environments = (container["environments"]?.array ?? []).compactMap { $0.string ?? $0["name"]?.string }
    return (container["container"]?.string ?? "") + "  " + environments.joined(separator: ", ")
}
