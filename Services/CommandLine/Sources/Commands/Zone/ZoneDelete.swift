import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone delete`.
struct ZoneDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete zones and all their records.",
        discussion: """
            EXAMPLE
              zonda zone delete Drafts
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones' names.")
    var names: [String]

    func validate() throws { try ZoneCommand.check(names) }
    func run() async throws { try await ZoneCommand.modify(.delete, names, global) }
}
