import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
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

            --name keeps what comes while nobody listens: the queue consumer.NAME.watch outlives the command, and the next \
            one goes on where this one ended. It is emptied by printing; what was printed just before an end may come \
            again, and is known by its id. Zones once named stay bound. At most \(BrokerPolicy.maxWaitingMessages) \
            notifications wait; then the oldest go, which {"missed":true,"zone":…,"fromSeq":…,"toSeq":…} tells when it \
            happens under a running command. --forget removes the queue. A consumer's own address is enough (zonda \
            consumer grant).

            --since reads the log of past notifications and goes on with what comes. It begins a little early rather than \
            late, and needs an operator's address.

            --count and --timeout: exit status 0 when so many were printed, 1 when the time was over before. \
            Without --count the end of the time is a good end.

            EXAMPLES
              zonda watch Notes Drafts
              zonda watch Notes --count 1 --timeout 30s --json
              zonda watch --subscription inbox-watch
              zonda watch Notes --name reports
              zonda watch Notes --since 1h
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

    @Option(help: "Keep what comes while nobody listens, for the next command of this name.")
    var name: String?

    @Flag(help: "Remove what --name keeps.")
    var forget = false

    @Option(
        help: "Begin with past notifications: 30m, 1h, 2026-01-15T18:00:00Z or first.", transform: WatchStart.parse)
    var since: WatchStart?

    func validate() throws {
        guard !zones.isEmpty || !subscription.isEmpty || name != nil else {
            throw ValidationError("Name a zone or a --subscription")
        }
        guard name == nil || since == nil else { throw ValidationError("Give --name or --since, not both") }
        guard !forget || name != nil && zones.isEmpty && subscription.isEmpty else {
            throw ValidationError("--forget goes with --name and no zones")
        }
        guard Set(zones).count == zones.count, Set(subscription).count == subscription.count else {
            throw ValidationError("A zone or subscription is named twice")
        }
        if let count, count < 1 { throw ValidationError("--count is at least 1") }
    }

    func run() async throws {
        let url = try global.brokerURL()
        let consumer = try name.map(ConsumerCommand.name)
        if forget, let consumer { return try await forget(consumer, url) }
        let scope = try global.scope()
        let database = try WatchedDatabase(scope)
        let keys = zones.map(database.key(ofZone:)) + subscription.map(database.key(ofSubscription:))
        try await global.failing {
            let configuration = try BrokerSession.configuration(url: url)
            let isComplete =
                if let consumer {
                    try await watch(consumer, keys, configuration)
                } else if let since {
                    try await NotificationConsumer.with(logSince: since, keys: keys, configuration) {
                        try await hear($0)
                    }
                } else {
                    try await BrokerSession.with(url: url, scope: scope) { session in
                        let watch = Watch(requester: session, client: client, count: count) { show($0) }
                        let ledger = try await watch.ledger(zones: zones, subscriptions: subscription)
                        return try await NotificationConsumer.with(.transient(keys: keys), configuration) {
                            try await run(watch, $0, ledger)
                        }
                    }
                }
            guard isComplete else { throw ExitCode.failure }
        }
    }

    /// Listens to a named consumer's queue, which has to be there when no zone is named.
    private func watch(
        _ consumer: ConsumerName, _ keys: [String], _ configuration: AMQPConfiguration
    ) async throws -> Bool {
        if keys.isEmpty {
            let status = try await AMQPChannelSession.with(configuration) {
                try await $0.status(ofQueue: consumer.watchQueue)
            }
            guard status != nil else {
                throw RequestFailure.unanswered(
                    reason: "nothing is kept for '\(consumer)' yet: name the zones that it is to hear")
            }
        }
        return try await NotificationConsumer.with(.named(consumer, keys: keys), configuration) {
            try await hear($0)
        }
    }

    /// Tells what comes. Nothing is missed that a feed would have to make good.
    private func hear(_ consumer: NotificationConsumer) async throws -> Bool {
        let watch = Watch(requester: NoFeeds(), client: client, count: count) { show($0) }
        return try await run(watch, consumer, WatchLedger(tokens: [:]))
    }

    private func forget(_ consumer: ConsumerName, _ url: String) async throws {
        try await global.failing {
            let configuration = try BrokerSession.configuration(url: url)
            let dropped = try await AMQPChannelSession.with(configuration) {
                try await $0.deleteQueue(consumer.watchQueue)
            }
            let result: JSONValue = ["consumer": .string(consumer.rawValue), "forgotten": .int(Int64(dropped))]
            Console.print(
                global.json ? result.text : "\(consumer)  forgotten, with \(dropped) notifications that waited")
        }
    }

    /// Runs the watch, no longer than the timeout. Returns whether it came to a good end.
    private func run(
        _ watch: Watch, _ consumer: NotificationConsumer, _ ledger: WatchLedger
    ) async throws -> Bool {
        var watch = watch
        watch.acknowledge = consumer.acknowledge
        Console.report("watching \(watched)")
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { [watch] in
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
        case .missed(let hole): Console.print(global.json ? hole.text : Self.describe(missed: hole))
        case .trouble(let failure): global.report(failure)
        }
        // Whoever reads along must not wait for a full buffer.
        Console.flush()
    }

    private var watched: String {
        let names = zones + subscription
        return names.isEmpty ? "what \(name ?? "") is bound to" : names.joined(separator: ", ")
    }

    /// `missed  Notes  17–19`.
    static func describe(missed hole: JSONValue) -> String {
        "missed  \(hole["zone"]?.string ?? "")  \(hole["fromSeq"]?.int ?? 0)–\(hole["toSeq"]?.int ?? 0)"
    }

    /// `caught up  Notes  shopping, travel deleted`.
    static func describe(_ page: JSONValue) -> String {
        let records = (page["records"]?.array ?? []).map { record in
            (record["recordName"]?.string ?? "") + (record["deleted"]?.bool == true ? " deleted" : "")
        }
        return "caught up  \(page["zone"]?.string ?? "")  \(records.joined(separator: ", "))"
    }
}
