import AMQPClient
import ArgumentParser
import CommandLineSession

/// `zonda load subscriptions`.
struct LoadSubscriptions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Save records, and verify that every subscriber is notified of every change, and of no other.",
        discussion: """
            Producers create records in new zones, and update and delete some of them. Each watcher has a durable \
            queue, which is bound to the notifications of some of the zones. In a private database, a third of the \
            watchers (at most 200) instead use saved subscriptions, one for each of their zones. At the end, the load \
            waits up to --settle for the last notifications, and then deletes the subscriptions.

            For each watcher, 'lost' counts the acknowledged operations in its zones of which it was not notified, \
            'outOfOrder' the notifications that arrived after later ones of their zone, 'repeated' those that arrived \
            again, and 'unknownRepeats' the repeated ones with a new id. The exit status is 1 if 'lost', 'outOfOrder' \
            or 'unknownRepeats' is above zero, or if no operation was acknowledged.

            The load also checks --subscriptions saved subscriptions of all --kinds: to zones, databases and queries, \
            and queries that fire once. They belong to --users new users, in their private databases and the public \
            database, and some are saved while records are saved. A subscription must fire for matching changes that \
            were sent after it was acknowledged, and must not fire for changes that were acknowledged before it was \
            sent. Consumers disconnect and reconnect. The results are in 'matches': 'lost' counts changes without a \
            notification, 'foreign' those that must have none but have one, 'disordered' notifications that arrived \
            after later ones of their zone, 'firedOnceTwice' further notifications of subscriptions that fire once, \
            and 'wronglyListed' subscriptions that exist after they fired once, or that are missing. 'repeats' counts \
            repeated notifications with a known id, and 'unknownRepeats' those with a new id. The exit status is 1 if \
            any count except 'repeats' is above zero, or if a subscription could not be saved. Changes without an \
            answer are looked up at the end. The record types are LoadNote and LoadTask.

            The latency is the time from the answer to a save to the save's notification, or zero if the notification \
            arrives first. 'perSecond' is the number of operations per second, and 'settledAfter' is the time in \
            milliseconds from the last answer to the last notification. Records and zones are not deleted.

            If, after the duration, no request is answered for --grace because the broker or a service is unavailable, \
            the load gives up: 'outstanding' counts the requests in progress, and the exit status is 1.

            EXAMPLES
              zonda load subscriptions --zones 20 --watchers 50 --duration 20s
              zonda load subscriptions --rate 200 --operations 10 --json
              zonda load subscriptions --subscriptions 200 --kinds query,once --users 10
            """)

    private static let defaults = WatchedPlan()
    private static let matchDefaults = MatchPlan()
    /// The maximum number of requests in progress per connection in the check of saved subscriptions.
    private static let matchWindow = 8

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "The number of new zones over which the records are distributed.")
    var zones = defaults.zones

    @Option(help: "The number of watchers, each with a queue that is bound to some of the zones.")
    var watchers = defaults.watchers

    @Option(help: "The number of records in a request.")
    var operations = defaults.operations

    @Option(
        help:
            "The number of requests per second, over all producers, half for --subscriptions; 0 for the maximum."
    )
    var rate = defaults.rate

    @Option(help: "The maximum number of requests in progress per producer.")
    var inFlight = defaults.inFlight

    @Option(help: "The maximum wait for the last notifications.", transform: Duration.parse)
    var settle = defaults.settle

    @Option(help: "The number of saved subscriptions to check; 0 for none.")
    var subscriptions = matchDefaults.subscriptions

    @Option(
        help:
            "The kinds of subscriptions, used in turn: \(MatchedSubscription.Kind.allCases.map(\.rawValue).joined(separator: ",")).",
        transform: MatchedSubscription.Kind.list)
    var kinds = matchDefaults.kinds

    @Option(help: "The number of users who save subscriptions, each with a private database.")
    var users = matchDefaults.users

    private var plan: WatchedPlan {
        WatchedPlan(
            producers: options.producers, zones: zones, watchers: watchers, duration: options.duration,
            operations: operations, rate: subscriptions > 0 ? rate / 2 : rate, inFlight: inFlight, settle: settle,
            seed: options.seedOrNew)
    }

    /// The plan for the check of saved subscriptions.
    var matchPlan: MatchPlan {
        MatchPlan(
            subscriptions: subscriptions, kinds: kinds, users: users, duration: options.duration,
            operations: operations, rate: rate / 2, settle: settle, seed: options.seedOrNew)
    }

    func validate() throws {
        if let fault = plan.fault ?? matchPlan.fault { throw ValidationError(fault) }
    }

    func run() async throws {
        let (plan, scope) = (plan, try global.scope())
        var matchPlan = matchPlan
        matchPlan.userNames = LoadNames.newUsers(users)
        let (database, url) = (try WatchedDatabase(scope), try global.brokerURL())
        try await global.runLoad(options, window: plan.inFlight + Self.matchWindow) { [matchPlan] sessions, _ in
            let configuration = try BrokerSession.configuration(url: url)
            async let matches = matchPlan.run(sessions, in: scope, configuration)
            let watched = try await WatchedLoad(
                plan: plan, producers: sessions, database: database, configuration: configuration
            ) { Console.progress($0) }.run()
            return SubscriptionsReport(watched: watched, matches: try await matches)
        }
    }
}

extension MatchPlan {
    /// Checks saved subscriptions over `sessions`; returns nil if there are none to check.
    fileprivate func run(
        _ sessions: [WatchedRequester<BrokerSession>], in scope: RequestScope, _ configuration: AMQPConfiguration
    ) async throws -> MatchReport? {
        guard subscriptions > 0 else { return nil }
        return try await MatchedLoad(self, in: scope, configuration) { user, database in
            sessions[(user + database) % sessions.count]
                .acting(in: self.scope(user: user, database: database, in: scope))
        }.run()
    }
}

extension MatchedSubscription.Kind {
    /// Parses a list of kinds, such as `zone,query`.
    ///
    /// - Throws: a `ValidationError` that lists the kinds.
    fileprivate static func list(_ text: String) throws -> [MatchedSubscription.Kind] {
        try text.split(separator: ",").map { word in
            guard let kind = Self(rawValue: String(word)) else {
                throw ValidationError(
                    "'\(word)' must be one of: \(allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return kind
        }
    }
}
