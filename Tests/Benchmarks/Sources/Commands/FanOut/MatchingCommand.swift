internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits matching`.
struct MatchingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matching",
        abstract: "Measure how soon a save is reported to the one of many query subscriptions that it matches.",
        discussion: """
            The subscriptions are in the public database, a thousand of a user, each on another value. Prints \
            {"p50", "p99"} of the times from a save to its notification, in milliseconds.
            """)

    @Option(help: "Query subscriptions, of which each save matches one.")
    var subscriptions = 1

    @Option(help: "Saves a second.")
    var rate = 50.0

    @Option(help: "For how long: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...1_000_000).contains(subscriptions), (0.1...10_000).contains(rate) else {
            throw ValidationError("--subscriptions 1 to 1000000, --rate 0.1 to 10000")
        }
    }

    func run() async throws {
        let latencies = try await Matching(subscriptions: subscriptions, rate: rate, duration: duration).run()
        printLine(.object(latencies.members))
    }
}
