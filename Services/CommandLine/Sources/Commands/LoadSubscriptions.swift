import ArgumentParser

/// `zonda load subscriptions`.
struct LoadSubscriptions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Save records and verify that every watcher hears of every change.",
        discussion: """
            Producers make records in new zones, change and delete some of them. Watchers have a durable queue each, \
            bound to the notifications of a few of the zones. A third of them (at most 200) hear by saved \
            subscriptions instead, one for each of their zones, which are deleted at the end; a public database has \
            none. At the end the last notifications are waited for, at most as long as --settle says.

            'lost' counts acknowledged operations that a watcher of their zone never heard (each watcher for itself), \
            'outOfOrder' notifications that came after later ones of their zone, 'repeated' those that came again, \
            'unknownRepeats' those of them whose id had not come before. Exit status 1 if 'lost', 'outOfOrder' or \
            'unknownRepeats' is above zero, or nothing was acknowledged.

            Latency counts from a save's answer to its notification; one that came first counts as none. 'perSecond' \
            is operations a second, 'settledAfter' the milliseconds from the last answer to the last notification. \
            The zones stay.

            EXAMPLES
              zonda load subscriptions --zones 20 --watchers 50 --duration 20s
              zonda load subscriptions --rate 200 --operations 10 --json
            """)

    private static let defaults = WatchedPlan()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "Zones over which the records are spread; new ones are made.")
    var zones = defaults.zones

    @Option(help: "Queues that listen to a few of the zones each.")
    var watchers = defaults.watchers

    @Option(help: "Records in one request.")
    var operations = defaults.operations

    @Option(help: "Requests a second over all producers; 0 is as many as are answered.")
    var rate = defaults.rate

    @Option(help: "Requests under way per producer.")
    var inFlight = defaults.inFlight

    @Option(help: "How long the last notifications are waited for.", transform: Duration.parse)
    var settle = defaults.settle

    private var plan: WatchedPlan {
        WatchedPlan(
            producers: options.producers, zones: zones, watchers: watchers, duration: options.duration,
            operations: operations, rate: rate, inFlight: inFlight, settle: settle, seed: options.seedOrNew)
    }

    func validate() throws {
        if let fault = plan.fault { throw ValidationError(fault) }
    }

    func run() async throws {
        let plan = plan
        let database = try WatchedDatabase(try global.scope())
        let url = try global.brokerURL()
        try await global.runLoad(producers: plan.producers, window: plan.inFlight) { sessions in
            try await WatchedLoad(
                plan: plan, producers: sessions, database: database,
                configuration: BrokerSession.configuration(url: url)
            ) { Console.progress($0) }.run()
        }
    }
}
