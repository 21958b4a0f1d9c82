import ArgumentParser
import CloudKitModel
import CommandLineSession

/// `zonda load records`.
struct LoadRecords: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Save and look up records, at the maximum rate or a given one.",
        discussion: """
            Each producer has its own connection and a window of requests in progress. Each record is written by only \
            one slot of one window, so two writes of a record are never in progress at the same time. Each write \
            contains an increasing number. If a service or the broker is unavailable, a request is repeated with the \
            same message id for up to a minute before it fails.

            With --verify, every acknowledged record is looked up by name, and the change feed of every zone is read \
            from the beginning: 'missing' counts acknowledged records that do not exist, 'stale' those whose number is \
            not the last acknowledged one, and 'repeated' those that a feed contains twice. The exit status is 1 if \
            one of these counts, or 'failed', is above zero.

            With --participants, the load creates shares in its zones, and new users accept all of them. Zones without \
            a share are not used. At least half of the records are saved below the roots of the shares, by the owner \
            and the participants in turn; the others are not shared. With --verify, each participant also keeps a copy of the shared records up to date \
            with tokens during the load, and verifies all records as they are seen in the shared database: 'lost' \
            counts acknowledged records that a copy lacks or contains with an older number, and 'foreign' counts \
            records that a participant saw although they are not shared. A --seed can be repeated only with other \
            zones (--zone-prefix).

            The latency is the time from the scheduled start of a request to its answer, including repeats. \
            'perSecond' is the number of operations (records written or read) per second. Peak memory is read from the \
            URLs in $ZONDA_METRICS_URLS.

            If, after the duration, no request is answered for --grace because the broker or a service is unavailable, \
            the load gives up: 'outstanding' counts the requests in progress, and the exit status is 1.

            EXAMPLES
              zonda load records --producers 4 --duration 20s --verify
              zonda load records --operations 100 --reads 0 --duration 1m --json
              zonda load records --gateway $ZONDA_URL --rate 50 --verify
              zonda load records --participants 10 --shares 100 --verify
            """)

    private static let defaults = LoadPlan()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "The number of zones over which the records are distributed; missing zones are created.")
    var zones = defaults.zones

    @Option(help: "The number of users who participate in every share; 0 for a load without shares.")
    var participants = defaults.participants

    @Option(help: "The number of shares, which are distributed evenly over the zones; requires --participants.")
    var shares = defaults.shares

    @Option(help: "The number of records in a request.")
    var operations = defaults.operations

    @Option(help: "The size of each operation's JSON, in bytes.")
    var size = defaults.sizeBytes

    @Option(help: "The fraction of requests that look up records.")
    var reads = defaults.reads

    @Option(help: "The fraction of writes that replace records of this run; the others create records.")
    var updates = defaults.updates

    @Option(help: "The number of requests per second, over all producers; 0 for the maximum.")
    var rate = defaults.rate

    @Option(help: "The maximum number of requests in progress per producer.")
    var inFlight = defaults.inFlight

    @Flag(help: "Read and verify all records at the end.")
    var verify = false

    @Option(
        help: ArgumentHelp(
            "The URL of a gateway through which to send requests instead of the broker, with $ZONDA_API_TOKEN and the "
                + "user of $ZONDA_WEB_AUTH_TOKEN (zonda user token).", valueName: "url"))
    var gateway: String?

    @Option(help: "The prefix of the zones' names.")
    var zonePrefix = defaults.zonePrefix

    private var plan: LoadPlan {
        LoadPlan(
            producers: options.producers, zones: zones, participants: participants, shares: shares,
            duration: options.duration, operations: operations, sizeBytes: size,
            reads: reads, updates: updates, rate: rate, inFlight: inFlight, verifies: verify,
            seed: options.seedOrNew, zonePrefix: zonePrefix)
    }

    func validate() throws {
        if let fault = plan.fault { throw ValidationError(fault) }
        guard participants == 0 || gateway == nil else {
            throw ValidationError("--participants cannot be combined with --gateway")
        }
        let isPlain = zonePrefix.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || (byte < 0x80 && Character(UnicodeScalar(byte)).isLetter)
                || (0x30...0x39).contains(byte)
        }
        guard isPlain, (1...100).contains(zonePrefix.utf8.count) else {
            throw ValidationError("--zone-prefix must have 1 to 100 letters, digits, '-', '.' and '_'")
        }
    }

    func run() async throws {
        let plan = plan
        guard let gateway = try gatewayPlace() else {
            let scope = try global.scope()
            guard participants == 0 || (scope.database == .private && scope.user != nil) else {
                throw ValidationError("--participants requires --user and the private database")
            }
            let names = LoadNames.newUsers(participants)
            return try await global.runLoad(options, window: plan.window) { sessions, _ in
                try await LoadRun(
                    plan: plan, producers: sessions.map { LoadUsers($0, in: scope, participants: names) }
                ) { Console.progress($0) }.run()
            }
        }
        try await global.runLoad(options, window: plan.inFlight, through: gateway) { sessions, _ in
            try await LoadRun(plan: plan, producers: sessions.map { LoadUsers(owner: $0) }) { Console.progress($0) }
                .run()
        }
    }

    private func gatewayPlace() throws -> GatewayPlace? {
        guard let gateway else { return nil }
        guard gateway.hasPrefix("http://") || gateway.hasPrefix("https://") else {
            throw ValidationError("--gateway must be a URL such as http://127.0.0.1:8080")
        }
        guard let apiToken = GlobalOptions.variable("ZONDA_API_TOKEN") else {
            throw ValidationError("--gateway requires an API token in ZONDA_API_TOKEN (zonda token create)")
        }
        return GatewayPlace(
            url: gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway, scope: try global.scope(),
            apiToken: apiToken, webAuthToken: GlobalOptions.variable("ZONDA_WEB_AUTH_TOKEN"))
    }
}
