internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits matching`.
struct MatchingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matching",
        abstract: "Measure how fast a save is notified if it matches one of many query subscriptions.",
        discussion: """
            The subscriptions are in the public database, a thousand per user, each for a different value. Prints \
            {"p50", "p99"} of the times from a save to its notification, in milliseconds.
            """)

    @Option(help: "The number of query subscriptions. Each save matches one of them.")
    var subscriptions = 1

    @Option(help: "The number of saves per second.")
    var rate = 50.0

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
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
