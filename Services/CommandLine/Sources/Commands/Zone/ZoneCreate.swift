import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone create`.
struct ZoneCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create zones unless they already exist.",
        discussion: """
            EXAMPLE
              zonda zone create Notes Drafts
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones' names.")
    var names: [String]

    func validate() throws { try ZoneCommand.check(names) }
    func run() async throws { try await ZoneCommand.modify(.create, names, global) }
}
