import ArgumentParser
import CommandLineSession

/// `zonda share show`.
struct ShareShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a share with its link and its participants.",
        discussion: """
            EXAMPLES
              zonda share show --zone Notes groceries
              zonda share show --zone Family cloudkit.zoneshare --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ShareOptions

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    func run() async throws {
        try await global.withSession { session in
            global.show(try await session.share(options.name, in: ZonePlace(options.zone, owner: owner)))
        }
    }
}
