import ArgumentParser
import CommandLineSession

/// `zonda load records`.
struct LoadRecords: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Save and look up records as fast as they are answered, or at a rate.",
        discussion: """
            Every producer has a connection of its own and a window of requests under way. A record is written by one \
            place in one window only, so two writes of one record are never under way at once; each write carries a \
            growing number. A request that meets an absent service or broker is repeated under the same message id, \
            for a minute, and only then counts as failed. With --verify every acknowledged record is read back by \
            name, and the change feed of every zone is walked from nothing: 'missing' counts acknowledged records \
            that are not there, 'stale' those whose number is not the last acknowledged one, 'repeated' those that a \
            feed has twice. Exit status 1 if one of them, or 'failed', is above zero.

            Latency counts from the moment a request was due until its answer, repeats included. 'perSecond' is \
            operations (records written or read) a second. Peak memory is asked of the URLs in $ZONDA_METRICS_URLS.

            When nothing is answered for --grace after the duration, because the broker or a service stays away, the load \
            gives up: 'outstanding' counts the requests that were under way, and the exit status is 1.

            EXAMPLES
              zonda load records --producers 4 --duration 20s --verify
              zonda load records --operations 100 --reads 0 --duration 1m --json
              zonda load records --gateway $ZONDA_URL --rate 50 --verify
            """)

    private static let defaults = LoadPlan()

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: LoadOptions

    @Option(help: "Zones over which the records are spread; they are made if need be.")
    var zones = defaults.zones

    @Option(help: "Records in one request.")
    var operations = defaults.operations

    @Option(help: "Bytes of one record's operation.")
    var size = defaults.sizeBytes

    @Option(help: "The share of requests that look records up.")
    var reads = defaults.reads

    @Option(help: "The share of writes that replace records of this run; the others make new ones.")
    var updates = defaults.updates

    @Option(help: "Requests a second over all producers; 0 is as many as are answered.")
    var rate = defaults.rate

    @Option(help: "Requests under way per producer.")
    var inFlight = defaults.inFlight

    @Flag(help: "Read everything back.")
    var verify = false

    @Option(
        help: ArgumentHelp(
            "Ask through the gateway at this address instead of over the broker, with $ZONDA_API_TOKEN, and as the user of "
                + "$ZONDA_WEB_AUTH_TOKEN (zonda user token).", valueName: "url"))
    var gateway: String?

    @Option(help: "The beginning of the zones' names.")
    var zonePrefix = defaults.zonePrefix

    private var plan: LoadPlan {
        LoadPlan(
            producers: options.producers, zones: zones, duration: options.duration,
            operations: operations, sizeBytes: size,
            reads: reads, updates: updates, rate: rate, inFlight: inFlight, verifies: verify,
            seed: options.seedOrNew, zonePrefix: zonePrefix)
    }

    func validate() throws {
        if let fault = plan.fault { throw ValidationError(fault) }
        let isPlain = zonePrefix.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || (byte < 0x80 && Character(UnicodeScalar(byte)).isLetter)
                || (0x30...0x39).contains(byte)
        }
        guard isPlain, (1...100).contains(zonePrefix.utf8.count) else {
            throw ValidationError("--zone-prefix has letters, digits, '-', '.' and '_', at most 100")
        }
    }

    func run() async throws {
        let plan = plan
        guard let gateway = try gatewayPlace() else {
            return try await global.runLoad(options, window: plan.inFlight) { sessions, _ in
                try await LoadRun(plan: plan, producers: sessions) { Console.progress($0) }.run()
            }
        }
        try await global.runLoad(options, window: plan.inFlight, through: gateway) { sessions, _ in
            try await LoadRun(plan: plan, producers: sessions) { Console.progress($0) }.run()
        }
    }

    private func gatewayPlace() throws -> GatewayPlace? {
        guard let gateway else { return nil }
        guard gateway.hasPrefix("http://") || gateway.hasPrefix("https://") else {
            throw ValidationError("--gateway is an address such as http://127.0.0.1:8080")
        }
        guard let apiToken = GlobalOptions.variable("ZONDA_API_TOKEN") else {
            throw ValidationError("--gateway needs an API token in ZONDA_API_TOKEN (zonda token create)")
        }
        return GatewayPlace(
            url: gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway, scope: try global.scope(),
            apiToken: apiToken, webAuthToken: GlobalOptions.variable("ZONDA_WEB_AUTH_TOKEN"))
    }
}
