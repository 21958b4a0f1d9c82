import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda container create`.
struct ContainerCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a container with its two environments, unless it exists.",
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
                .containersCreate, ["container": .string(name)], limit: .requestLimit)
            _ = global.show(answer) {
                "\(ContainerCommand.describe($0))  \($0["created"]?.bool == true ? "created" : "exists")"
            }
        }
    }
}
