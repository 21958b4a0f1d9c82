internal import ArgumentParser
internal import Foundation

/// `zonda-limits lookups`.
struct LookupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookups",
        abstract: "Measure the records per second looked up one by one, with the service or with PostgreSQL alone.",
        discussion: """
            Looks up the records that 'fill' has saved, in random order. With --connections, this program sends the \
            statements of the service to the database at $ZONDA_POSTGRES_URL; otherwise, it sends requests to the \
            service. Prints {"records", "seconds", "perSecond", "requestBytes", "replyBytes", "perReply"}.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The number of connections that publish.")
    var producers = 4

    @Option(help: "The number of requests in progress per connection.")
    var inFlight = 64

    @Option(help: "Use PostgreSQL alone, with this number of connections, like the readers of the service.")
    var connections: Int?

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...1000).contains(producers), (1...5000).contains(inFlight), (1...100).contains(connections ?? 1) else {
            throw ValidationError("--producers 1 to 1000, --in-flight 1 to 5000, --connections 1 to 100")
        }
    }

    func run() async throws {
        let lookups = Lookups(zone: zone.zone(), duration: duration)
        let (counts, elapsed) =
            if let connections {
                try await LimitEnvironment.withServicePool(connections: connections) {
                    try await lookups.byDatabase($0, connections: connections)
                }
            } else {
                try await lookups.byService(
                    Producers(configuration: try LimitEnvironment.broker(), count: producers, inFlight: inFlight))
            }
        printLine(counts.json(elapsed: elapsed))
    }
}
