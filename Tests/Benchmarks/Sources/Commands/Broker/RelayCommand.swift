internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits relay`.
struct RelayCommand: AsyncParsableCommand {
    /// The prefetch of the subscription service.
    private static let prefetch = 200

    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "How soon RabbitMQ brings an event to its watchers through a program that only passes it on.",
        discussion: """
            Events go through a topic exchange into a quorum queue with the arguments of subscription.changes.00; a \
            second process publishes them again, confirmed, to a topic exchange with the watchers' quorum queues. \
            Time counts from the first publish's confirm to a watcher's receipt, for each watcher. Prints \
            {"events", "seconds", "perSecond", "p50", "p99"}, times in milliseconds.
            """)

    @Option(help: "Events a second.")
    var rate = 50.0

    @Option(help: "Zones over which the events are spread.")
    var zones = 20

    @Option(help: "Queues that listen to three of the zones each.")
    var watchers = 20

    @Option(help: "For how long events are published: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (0.1...100_000).contains(rate), (1...10_000).contains(zones), (1...2000).contains(watchers) else {
            throw ValidationError("--rate 0.1 to 100000, --zones 1 to 10000, --watchers 1 to 2000")
        }
    }

    func run() async throws {
        let broker = try LimitEnvironment.broker()
        let route = RelayRoute(zones: zones, watchers: watchers)
        let (published, latencies) = try await LimitQueues.with(try route.topology(), broker) {
            try await AnsweringProcess.with(
                arguments: [
                    "--queue", route.queue, "--forward-to", route.notifications, "--prefetch", "\(Self.prefetch)",
                ]
            ) {
                try await RelayLimit(configuration: broker, route: route, rate: rate).run(duration: duration)
            }
        }
        printLine(.object(published.members(unit: "events") + latencies.members))
    }
}
