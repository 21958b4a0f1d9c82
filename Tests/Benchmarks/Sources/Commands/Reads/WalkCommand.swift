internal import ArgumentParser
internal import Foundation

/// `zonda-limits walk`.
struct WalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Measure the records per second of a zone's change feed, with the service or with PostgreSQL alone.",
        discussion: """
            Each walker repeatedly reads the feed from the beginning to the end, and fails if it does not find all \
            records that 'fill' has saved. With --database, each walker sends the statements of the service over a \
            connection to the database at $ZONDA_POSTGRES_URL; otherwise, it sends requests to the service. Prints \
            {"records", "seconds", "perSecond", "requestBytes", "replyBytes", "perReply"}.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The number of walkers, each with a connection.")
    var walkers = 4

    @Option(help: "The number of records in a page.")
    var page = 200

    @Flag(help: "PostgreSQL alone.")
    var database = false

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...100).contains(walkers), (1...5000).contains(page) else {
            throw ValidationError("--walkers 1 to 100, --page 1 to 5000")
        }
    }

    func run() async throws {
        let walks = Walks(zone: zone.zone(), pageCount: page, duration: duration)
        let (counts, elapsed) =
            if database {
                try await LimitEnvironment.withServicePool(connections: walkers) {
                    try await walks.byDatabase($0, walkers: walkers)
                }
            } else {
                try await walks.byService(
                    Producers(configuration: try LimitEnvironment.broker(), count: walkers, inFlight: 1))
            }
        printLine(counts.json(elapsed: elapsed))
    }
}
