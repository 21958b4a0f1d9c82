import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

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
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(
                .containersDelete, ["container": .string(name)], limit: .requestLimit)
            _ = global.show(answer) { "\($0["container"]?.string ?? name)  deleted" }
        }
    }
}
