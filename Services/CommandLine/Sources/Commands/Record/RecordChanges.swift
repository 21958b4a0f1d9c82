import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record changes`.
struct RecordChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print what changed in a zone since a token, oldest first, and the token to go on from.",
        discussion: """
            Without --since the zone is read from its beginning. Each record comes once, as it is now; a deleted one \
            comes as a tombstone. With --json the last line is {"syncToken":…,"moreComing":…}.

            EXAMPLES
              zonda record changes --zone Notes --all
              zonda record changes --zone Notes --since AQAAAAAAAAAM --limit 50 --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Option(help: "The token of an earlier answer.")
    var since: String?

    @Flag(help: "Go on until nothing more is coming, instead of one page.")
    var all = false

    @Option(help: "The most records in one page.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        try await global.withSession { session in
            var feed = ZoneFeed(
                requester: session, zone: place.zone, since: since, limit: .requestLimit)
            feed.pageCount = limit
            let printer = RecordPrinter(global: global)
            var isGood = true
            while let page = try await feed.nextPage() {
                for record in page { isGood = printer.show(record) && isGood }
                guard all else { break }
            }
            let token = feed.token ?? ""
            Console.print(
                global.json
                    ? (["syncToken": .string(token), "moreComing": .bool(feed.hasMore)] as JSONValue).text
                    : "token \(token)" + (feed.hasMore ? "  more is coming" : ""))
            guard isGood else { throw ExitCode.failure }
        }
    }
}
