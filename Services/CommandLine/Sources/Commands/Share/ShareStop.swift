import ArgumentParser
import CommandLineSession

/// `zonda share stop`.
struct ShareStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a share for all participants.",
        discussion: """
            Except for the share itself, no records are deleted. The root keeps its link: if the root is shared again, \
            the link leads to the new share.

            EXAMPLE
              zonda share stop --zone Notes groceries
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ShareOptions

    func run() async throws {
        try await global.withSession { session in
            let share = try await session.share(options.name, in: options.place)
            _ = try await session.save([share.deletion], in: options.place)
            Console.print(global.json ? #"{"stopped":true}"# : "\(share.name)  stopped")
        }
    }
}
