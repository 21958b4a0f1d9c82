import ArgumentParser
import CloudKitWire
import ServiceMessages

/// `zonda watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print what changes in zones, as it happens.",
        discussion: """
            A zone's notifications need no saved subscription; with --subscription those of a saved one are printed. \
            "watching …" on standard error tells that everything from now on is heard. With --json each notification \
            is one object a line, as it came.

            When the connection was lost, or notifications were left out because the queue was full, the zones' feeds \
            are read since the last known change tokens, and what was missed is printed as \
            {"caughtUp":true,"zone":…,"syncToken":…,"records":[…]}, without fields; a change whose notification was \
            still on its way then comes both ways, and --client has no say. A zone that is not there yet is waited \
            for. Of a subscription to a query, a database or a record type nothing is read again: what it leaves out \
            nobody knows.

            --count and --timeout: exit status 0 when so many were printed, 1 when the time was over before. \
            Without --count the end of the time is a good end.

            EXAMPLES
              zonda watch Notes Drafts
              zonda watch Notes --count 1 --timeout 30s --json
              zonda watch --subscription inbox-watch
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones.")
    var zones: [String] = []

    @Option(help: "A saved subscription; may be repeated.")
    var subscription: [String] = []

    @Option(help: "End after so many.")
    var count: Int?

    @Option(help: "End after this time: 500ms, 30s, 2m.", transform: Duration.parse)
    var timeout: Duration?

    @Option(help: "Leave out the changes of this client.")
    var client: String?

    func validate() throws {
        guard !zones.isEmpty || !subscription.isEmpty else {
            throw ValidationError("Name a zone or a --subscription")
        }
        guard Set(zones).count == zones.count, Set(subscription).count == subscription.count else {
            throw ValidationError("A zone or subscription is named twice")
        }
        if let count, count < 1 { throw ValidationError("--count is at least 1") }
    }

    func run() async throws {
        let scope = try global.scope()
        let url = try global.brokerURL()
        let database = try WatchedDatabase(scope)
        let keys = zones.map(database.key(ofZone:)) + subscription.map(database.key(ofSubscription:))
        try await global.failing {
            let configuration = try BrokerSession.configuration(url: url)
            let isComplete = try await BrokerSession.with(url: url, scope: scope) { session in
                var watch = Watch(requester: session, client: client, count: count) { show($0) }
                let ledger = try await watch.ledger(zones: zones, subscriptions: subscription)
                return try await NotificationConsumer.with(.transient(keys: keys), configuration) { consumer in
                    Console.report("watching \((zones + subscription).joined(separator: ", "))")
                    watch.acknowledge = consumer.acknowledge
                    return try await run(watch, consumer, ledger)
                }
            }
            guard isComplete else { throw ExitCode.failure }
        }
    }

    /// Runs the watch, no longer than the timeout. Returns whether it came to a good end.
    private func run(
        _ watch: Watch, _ consumer: NotificationConsumer, _ ledger: WatchLedger
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await watch.run(consumer.inputs, ledger, generation: consumer.generation)
                return true
            }
            if let timeout {
                group.addTask {
                    try await ContinuousClock().sleep(for: timeout)
                    return count == nil
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    @Sendable private func show(_ output: Watch.Output) {
        switch output {
        case .notified(let notification): Console.print(global.json ? notification.json.text : notification.line)
        case .caughtUp(let page): Console.print(global.json ? page.text : Self.describe(page))
        case .trouble(let failure): global.report(failure)
        }
        // Whoever reads along must not wait for a full buffer.
        Console.flush()
    }

    /// `caught up  Notes  shopping, travel deleted`.
    static func describe(_ page: JSONValue) -> String {
        let records = (page["records"]?.array ?? []).map { record in
            (record["recordName"]?.string ?? "") + (record["deleted"]?.bool == true ? " deleted" : "")
        }
        return "caught up  \(page["zone"]?.string ?? "")  \(records.joined(separator: ", "))"
    }
}
