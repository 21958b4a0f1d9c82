import ArgumentParser
import CloudKitWire
import ServiceMessages

/// `zonda load`.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Put load on the services and verify that nothing is lost.",
        discussion: """
            EXAMPLE
              zonda load records --duration 20s --verify
            """,
        subcommands: [LoadRecords.self], defaultSubcommand: LoadRecords.self)
}

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

            EXAMPLES
              zonda load records --producers 4 --duration 20s --verify
              zonda load records --operations 100 --reads 0 --duration 1m --json
            """)

    private static let defaults = LoadPlan()

    @OptionGroup var global: GlobalOptions

    @Option(help: "Connections.")
    var producers = defaults.producers

    @Option(help: "Zones over which the records are spread; they are made if need be.")
    var zones = defaults.zones

    @Option(help: "For how long requests are begun: 500ms, 20s, 2m.", transform: Duration.parse)
    var duration = defaults.duration

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

    @Option(help: "Repeats the names and the mixture of an earlier run.")
    var seed: UInt64?

    @Option(help: "The beginning of the zones' names.")
    var zonePrefix = defaults.zonePrefix

    private var plan: LoadPlan {
        LoadPlan(
            producers: producers, zones: zones, duration: duration,
            operations: operations, sizeBytes: size,
            reads: reads, updates: updates, rate: rate, inFlight: inFlight, verifies: verify,
            seed: seed ?? UInt64.random(in: 0...0xFFFF_FFFF), zonePrefix: zonePrefix)
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
        let scope = try global.scope()
        let url = try global.brokerURL()
        let plan = plan
        try await global.failing {
            defer { Console.endProgress() }
            var report = try await withSessions(plan.producers, url: url, scope: scope, window: plan.inFlight) {
                sessions in
                try await LoadRun(plan: plan, producers: sessions) { Console.progress($0) }.run()
            }
            for service in Self.metricsURLs {
                report.peakBytes.append((service, await MetricsProbe.peakBytes(url: service)))
            }
            Console.endProgress()
            if global.json {
                Console.print(report.json.text)
            } else {
                for line in report.lines { Console.print(line) }
            }
            guard report.isGood else { throw ExitCode.failure }
        }
    }

    /// `ZONDA_METRICS_URLS`, separated by spaces or commas.
    private static var metricsURLs: [String] {
        (GlobalOptions.variable("ZONDA_METRICS_URLS") ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }
}

/// Opens `count` sessions, each on a connection of its own, lends them to `body` and closes them.
private func withSessions<Result: Sendable>(
    _ count: Int, url: String, scope: RequestScope, window: Int, opened: [BrokerSession] = [],
    _ body: ([BrokerSession]) async throws -> Result
) async throws -> Result {
    guard opened.count < count else { return try await body(opened) }
    return try await BrokerSession.with(url: url, scope: scope, maxInFlight: window) { session in
        try await withSessions(
            count, url: url, scope: scope, window: window, opened: opened + [session], body)
    }
}
