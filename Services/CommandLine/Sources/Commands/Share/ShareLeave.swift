import ArgumentParser
import CloudKitModel
import CommandLineSession

/// `zonda share leave`.
struct ShareLeave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Leave another user's share, as the user named by --user.",
        discussion: """
            The records disappear from the user's shared database. The share and its other participants remain.

            EXAMPLE
              zonda share leave --zone Notes --owner _01… groceries
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ShareOptions

    @Option(help: "The user who owns the zone.")
    var owner: String

    func run() async throws {
        let place = ZonePlace(options.zone, owner: owner)
        try await global.withSession(in: .shared) { session in
            let share = try await session.share(options.name, in: place)
            _ = try await session.save([share.deletion], in: place)
            Console.print(global.json ? #"{"left":true}"# : "\(share.name)  left")
        }
    }
}
