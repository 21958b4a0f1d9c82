import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the changes in zones as they happen.",
        discussion: """
            Watching a zone requires no saved subscription. With --subscription, prints the notifications of a saved \
            subscription. The line "watching …" on standard error means that no later change will be missed. With \
            --json, prints each notification unchanged, as one object per line.

            If the connection is lost, or if notifications are dropped because the queue is full, the command reads \
            the zones' change feeds from the last known tokens. It prints the missed changes as \
            {"caughtUp":true,"zone":…,"syncToken":…,"records":[…]}, without fields and regardless of --client. If the \
            notification of such a change arrives later, the change is printed twice. The command waits for zones that \
            do not exist yet. The missed notifications of a subscription to a query, a database or a record type \
            cannot be recovered.

            With --name, notifications are kept while the command is not running: the queue consumer.NAME.watch \
            outlives the command, and the next command with the same name continues with it. Notifications are removed \
            from the queue after they are printed. The next command may print the last ones again, with the same ids. \
            Zones remain bound to the queue. The queue keeps at most \(BrokerPolicy.maxWaitingMessages) notifications, \
            and then drops the oldest; a running command reports this as \
            {"missed":true,"zone":…,"fromSeq":…,"toSeq":…}. --forget deletes the queue. For --name and --forget, the \
            address of a consumer (zonda consumer grant) is sufficient.

            With --since, reads past notifications from the notification log, and then continues with new ones. The \
            output may begin slightly earlier than specified. This option requires an operator's address.

            With --count, the exit status is 0 if that number of notifications was printed, and 1 if --timeout passed \
            first. Without --count, it is 0 when --timeout has passed.

            EXAMPLES
              zonda watch Notes Drafts
              zonda watch Notes --count 1 --timeout 30s --json
              zonda watch --subscription inbox-watch
              zonda watch Notes --name reports
              zonda watch Notes --since 1h
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The zones to watch.")
    var zones: [String] = []

    @Option(help: "A saved subscription to watch; may be repeated.")
    var subscription: [String] = []

    @Option(help: "The number of notifications after which to exit.")
    var count: Int?

    @Option(help: "The time after which to exit, such as 500ms, 30s or 2m.", transform: Duration.parse)
    var timeout: Duration?

    @Option(help: "Omit the changes made by this client.")
    var client: String?

    @Option(help: "The name of a consumer whose queue keeps notifications between commands.")
    var name: String?

    @Flag(help: "Delete the queue of --name.")
    var forget = false

    @Option(
        help: "The time from which to print past notifications: 30m, 1h, 2026-01-15T18:00:00Z or first.",
        transform: WatchStart.parse)
    var since: WatchStart?

    func validate() throws {
        guard !zones.isEmpty || !subscription.isEmpty || name != nil else {
            throw ValidationError("Specify a zone or --subscription")
        }
        guard name == nil || since == nil else { throw ValidationError("Specify --name or --since, not both") }
        guard !forget || name != nil && zones.isEmpty && subscription.isEmpty else {
            throw ValidationError("--forget requires --name, and cannot be combined with zones or subscriptions")
        }
        guard Set(zones).count == zones.count, Set(subscription).count == subscription.count else {
            throw ValidationError("A zone or subscription is specified twice")
        }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
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

    /// Consumes a named consumer's queue. The queue must already exist if neither a zone nor a subscription is
    /// specified.
    private func watch(
        _ consumer: ConsumerName, _ keys: [String], _ configuration: AMQPConfiguration
    ) async throws -> Bool {
        if keys.isEmpty {
            let status = try await AMQPChannelSession.with(configuration) {
                try await $0.status(ofQueue: consumer.watchQueue)
            }
            guard status != nil else {
                throw RequestFailure.unanswered(
                    reason: "the consumer '\(consumer)' has no queue yet: specify the zones to watch")
            }
        }
        return try await NotificationConsumer.with(.named(consumer, keys: keys), configuration) {
            try await hear($0)
        }
    }

    /// Prints the notifications of a durable queue or of the log, without reading any feeds.
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
                global.json ? result.text : "\(consumer)  forgotten, with \(dropped) waiting notifications")
        }
    }

    /// Runs the watch until it ends or the timeout expires. Returns whether the exit status is 0.
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
        // Without this, a reader of the output would not see the line until the buffer was full.
        Console.flush()
    }

    private var watched: String {
        let names = zones + subscription
        return names.isEmpty ? "everything that \(name ?? "") is bound to" : names.joined(separator: ", ")
    }

    /// Returns missed changes as a line: `missed  Notes  17–19`.
    static func describe(missed hole: JSONValue) -> String {
        "missed  \(hole["zone"]?.string ?? "")  \(hole["fromSeq"]?.int ?? 0)–\(hole["toSeq"]?.int ?? 0)"
    }

    /// Returns a page of a feed as a line: `caught up  Notes  shopping, travel deleted`.
    static func describe(_ page: JSONValue) -> String {
        let records = (page["records"]?.array ?? []).map { record in
            (record["recordName"]?.string ?? "") + (record["deleted"]?.bool == true ? " deleted" : "")
        }
        return "caught up  \(page["zone"]?.string ?? "")  \(records.joined(separator: ", "))"
    }
}
