import AMQPClient
import ArgumentParser
import CommandLineSession

/// `zonda load subscriptions`.
struct LoadSubscriptions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Save records and verify that everybody hears of every change, and of nothing else.",
        discussion: """
            Producers make records in new zones, change and delete some of them. Watchers have a durable queue each, \
            bound to the notifications of a few of the zones. A third of them (at most 200) hear by saved \
            subscriptions instead, one for each of their zones, which are deleted at the end; a public database has \
            none. At the end the last notifications are waited for, at most as long as --settle says.

            'lost' counts acknowledged operations that a watcher of their zone never heard (each watcher for itself), \
            'outOfOrder' notifications that came after later ones of their zone, 'repeated' those that came again, \
            'unknownRepeats' those of them whose id had not come before. Exit status 1 if 'lost', 'outOfOrder' or \
            'unknownRepeats' is above zero, or nothing was acknowledged.

            Beside them, --subscriptions saved ones of all --kinds are checked: zones, whole databases, queries and those \
            that fire once, of --users new users, in their private databases and the public one, some saved while \
            records are. Of each change the load knows whom it has to be told: of changes sent after a subscription was \
            answered, those that match; of changes answered before it was sent, none. Consumers come and go. \
            They are told of under 'matches': 'lost' changes were not told, 'foreign' ones were and must not be, \
            'disordered' came after later ones of their zone, 'firedOnceTwice' were told by what fires once, \
            'wronglyListed' subscriptions fired once and are there still, or are gone; 'repeats' were known by their \
            ids, 'unknownRepeats' were not. Exit status 1 if any but 'repeats' is above zero, or a subscription could \
            not be saved. Changes without an answer are looked up at the end. The record types are LoadNote and \
            LoadTask; records and zones stay.

            Latency counts from a save's answer to its notification; one that came first counts as none. 'perSecond' \
            is operations a second, 'settledAfter' the milliseconds from the last answer to the last notification. \
            The zones stay.

            When nothing is answered for --grace after the duration, because the broker or a service stays away, the load \
            gives up: 'outstanding' counts the requests that were under way, and the exit status is 1.

            EXAMPLES
              zonda load subscriptions --zones 20 --watchers 50 --duration 20s
              zonda load subscriptions --rate 200 --operations 10 --json
              zonda load subscriptions --subscriptions 200 --kinds query,once --users 10
            """)

    private static let defaults = WatchedPlan()
    private static let matchDefaults = MatchPlan()
    /// Places for requests under way that each connection has for the part with saved subscriptions.
    private static let matchWindow = 8

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "Zones over which the records are spread; new ones are made.")
    var zones = defaults.zones

    @Option(help: "Queues that listen to a few of the zones each.")
    var watchers = defaults.watchers

    @Option(help: "Records in one request.")
    var operations = defaults.operations

    @Option(
        help: "Requests a second over all producers, half of them for --subscriptions; 0 is as many as are answered.")
    var rate = defaults.rate

    @Option(help: "Requests under way per producer.")
    var inFlight = defaults.inFlight

    @Option(help: "How long the last notifications are waited for.", transform: Duration.parse)
    var settle = defaults.settle

    @Option(help: "Saved subscriptions that are checked; 0 is none.")
    var subscriptions = matchDefaults.subscriptions

    @Option(
        help: "Their kinds, in turns: \(MatchedSubscription.Kind.allCases.map(\.rawValue).joined(separator: ",")).",
        transform: MatchedSubscription.Kind.list)
    var kinds = matchDefaults.kinds

    @Option(help: "Users who save them, with a private database each.")
    var users = matchDefaults.users

    private var plan: WatchedPlan {
        WatchedPlan(
            producers: options.producers, zones: zones, watchers: watchers, duration: options.duration,
            operations: operations, rate: subscriptions > 0 ? rate / 2 : rate, inFlight: inFlight, settle: settle,
            seed: options.seedOrNew)
    }

    /// What is to be done with saved subscriptions.
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
        matchPlan.userNames = MatchPlan.newUserNames(users)
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
    /// Checks saved subscriptions over `sessions`; nil when there are to be none.
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
    /// Reads `zone,query`.
    ///
    /// - Throws: a `ValidationError` that names them all.
    fileprivate static func list(_ text: String) throws -> [MatchedSubscription.Kind] {
        try text.split(separator: ",").map { word in
            guard let kind = Self(rawValue: String(word)) else {
                throw ValidationError(
                    "'\(word)' is none of: \(allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return kind
        }
    }
}
