internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits relay`.
struct RelayCommand: AsyncParsableCommand {
    /// The prefetch of the subscription service.
    private static let prefetch = 200

    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Measure how fast RabbitMQ delivers events to watchers through a program that only forwards them.",
        discussion: """
            Events are routed through a topic exchange to a quorum queue with the arguments of \
            subscription.changes.00. A second process publishes them again, with confirms, to a topic exchange with the \
            watchers' quorum queues. Times are measured from the confirm of the first publish to the receipt by each \
            watcher. Prints {"events", "seconds", "perSecond", "p50", "p99"}, with times in milliseconds.
            """)

    @Option(help: "The number of events per second.")
    var rate = 50.0

    @Option(help: "The number of zones over which the events are distributed.")
    var zones = 20

    @Option(help: "The number of queues, each of which is bound to three of the zones.")
    var watchers = 20

    @Option(help: "The time during which events are published: 500ms, 5s, 2m.", transform: Duration.parse)
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
