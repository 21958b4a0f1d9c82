import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda share link`.
struct ShareLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print the link of a share, or replace it.",
        discussion: """
            Prints the identifier in the link. The page of the gateway for the link is /share/ and the identifier. \
            With --rotate, the old link is unknown from then on. Participants keep their access.

            EXAMPLES
              zonda share link --zone Notes groceries
              zonda share link --zone Notes groceries --rotate
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ShareOptions

    @Flag(help: "Replace the link with a new one.")
    var rotate = false

    func run() async throws {
        try await global.withSession { session in
            var share = try await session.share(options.name, in: options.place)
            if rotate {
                share = try await session.save([share.updating(("replaceShortGUID", true))], in: options.place)
            }
            guard let link = share.link else {
                throw RequestFailure.unanswered(reason: "the answer contains no link")
            }
            Console.print(global.json ? (["shortGUID": .string(link)] as JSONValue).text : link)
        }
    }
}
