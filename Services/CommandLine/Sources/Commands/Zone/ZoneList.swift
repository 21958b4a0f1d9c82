import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda zone list`.
struct ZoneList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the zones of the database.",
        discussion: """
            EXAMPLE
              zonda zone list --json
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.withSession { session in
            let answer = try await session.ask(.zonesList, [:], limit: .requestLimit)
            try ZoneCommand.show(answer["zones"]?.array, global)
        }
    }
}
