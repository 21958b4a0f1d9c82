import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record changes`.
struct RecordChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the changes in a zone since a token, oldest first, and the next token.",
        discussion: """
            Without --since, starts at the beginning of the zone. Each changed record is printed once, in its current \
            state; a deleted record is printed as a tombstone. With --json, the last line is \
            {"syncToken":…,"moreComing":…}.

            EXAMPLES
              zonda record changes --zone Notes --all
              zonda record changes --zone Notes --since AQAAAAAAAAAM --limit 50 --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: ZoneOption

    @Option(help: "The token from an earlier answer.")
    var since: String?

    @Flag(help: "Print all pages instead of one.")
    var all = false

    @Option(help: "The maximum number of records in a page.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        try await global.withSession { session in
            var feed = ZoneFeed(
                requester: session, zone: place.zone, owner: place.owner, since: since, limit: .requestLimit)
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
