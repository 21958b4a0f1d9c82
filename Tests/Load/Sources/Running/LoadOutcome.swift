import ArgumentParser
import CloudKitWire
import CommandLineSession

/// The result of a load, as `zonda load` prints it.
protocol LoadOutcome: Sendable {
    /// One object; times in milliseconds, memory in bytes.
    var json: JSONValue { get }
    /// The same for people.
    var lines: [String] { get }
    /// Whether the run found nothing wrong.
    var isGood: Bool { get }
    /// What the services needed.
    var peakMemory: PeakMemory { get set }
    /// Requests that were under way when the load was given up.
    var outstanding: Int { get set }
    /// From the first request to the last answer.
    var elapsed: Duration { get }
    /// How long what the load measures took.
    var latencies: LatencyHistogram { get }
    /// Failures by code.
    var errors: ErrorCounts { get }
    /// What failed, by the number of operations.
    var failed: Int { get }
}

extension LoadOutcome {
    /// So many a second; 0 when no time has passed.
    func perSecond(_ count: Double, places: Int = 1) -> Double {
        elapsed > .zero ? (count / elapsed.seconds).rounded(places: places) : 0
    }

    /// One object: `counts`, the latencies, `more`, and what every load has.
    func json(_ counts: [(String, JSONValue?)], _ more: [(String, JSONValue?)]) -> JSONValue {
        .object(
            having: counts + latencies.members + [("errors", errors.json), ("outstanding", .count(outstanding))] + more
                + [
                    ("seconds", .double(elapsed.seconds.rounded(places: 3))), ("peakBytes", peakMemory.json),
                ])
    }

    /// The rows that `counts` adds, the latencies and failures, and the rows that `more` adds.
    func lines(_ counts: (inout TextTable) -> Void, _ more: (inout TextTable) -> Void) -> [String] {
        var table = TextTable()
        counts(&table)
        latencies.add(to: &table)
        table.add("failed", failed.grouped)
        errors.add(to: &table)
        if outstanding > 0 { table.add("given up, outstanding", outstanding.grouped) }
        more(&table)
        peakMemory.add(to: &table)
        return table.lines
    }
}

extension GlobalOptions {
    /// Runs a load over sessions of its own and prints its result.
    ///
    /// - Parameters:
    ///   - options: how many connections, for how long, and when it is given up.
    ///   - window: requests under way in each.
    ///   - load: is given the sessions, and the grace for what does not go over them.
    /// - Throws: `ExitCode.failure` when it found something or was given up; a `ValidationError` for missing options.
    func runLoad<Outcome: LoadOutcome>(
        _ options: LoadOptions, window: Int,
        _ load: @escaping @Sendable ([WatchedRequester<BrokerSession>], LoadGrace) async throws -> Outcome
    ) async throws {
        let (scope, url) = (try scope(), try brokerURL())
        try await report {
            try await BrokerSession.withSeveral(
                options.producers, url: url, scope: scope, window: window
            ) { try await options.watch($0, load) }
        }
    }

    /// Runs a load through a gateway and prints its result. All producers share its connections.
    ///
    /// - Throws: as ``runLoad(_:window:_:)``.
    func runLoad<Outcome: LoadOutcome>(
        _ options: LoadOptions, window: Int, through gateway: GatewayPlace,
        _ load: @escaping @Sendable ([WatchedRequester<GatewaySession>], LoadGrace) async throws -> Outcome
    ) async throws {
        try await report {
            try await GatewaySession.with(gateway, connections: options.producers * window) { session in
                try await options.watch(Array(repeating: session, count: options.producers), load)
            }
        }
    }

    private func report<Outcome: LoadOutcome>(_ load: () async throws -> Outcome) async throws {
        try await failing {
            defer { Console.endProgress() }
            var outcome = try await load()
            outcome.peakMemory = await PeakMemory.ofServices()
            Console.endProgress()
            for line in json ? [outcome.json.text] : outcome.lines { Console.print(line) }
            guard outcome.isGood, outcome.outstanding == 0 else { throw ExitCode.failure }
        }
    }
}

extension LoadOptions {
    /// Runs a load over sessions, and gives it up when they are not answered.
    ///
    /// - Throws: what `load` throws; `.unanswered` when it was given up and has no result.
    fileprivate func watch<Base: Requester, Outcome: LoadOutcome>(
        _ sessions: [Base], _ load: @escaping @Sendable ([WatchedRequester<Base>], LoadGrace) async throws -> Outcome
    ) async throws -> Outcome {
        let watch = LoadGrace(grace, after: duration)
        do {
            var outcome = try await watch.run {
                try await load(sessions.map { WatchedRequester(base: $0, grace: watch) }, watch)
            }
            outcome.outstanding = watch.outstanding ?? 0
            return outcome
        } catch {
            guard let outstanding = watch.outstanding else { throw error }
            throw RequestFailure.unanswered(
                reason: "given up: nothing was answered for \(grace); \(outstanding) requests are outstanding")
        }
    }
}

/// What every load takes.
struct LoadOptions: ParsableArguments {
    @Option(help: "Connections.")
    var producers = 4

    @Option(help: "For how long requests are begun: 500ms, 20s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(20)

    @Option(
        help: "After the duration: how long the load goes without an answer before it gives up.",
        transform: Duration.parse)
    var grace: Duration = .seconds(30)

    @Option(help: "Repeats the names and the mixture of an earlier run.")
    var seed: UInt64?

    /// The seed given, else a new one.
    var seedOrNew: UInt64 { seed ?? UInt64.random(in: 0...0xFFFF_FFFF) }

    func validate() throws {
        guard (1...1000).contains(producers) else { throw ValidationError("--producers is a number from 1 to 1000") }
        guard duration > .zero else { throw ValidationError("--duration is longer than nothing, such as 20s") }
        guard grace > .zero else { throw ValidationError("--grace is longer than nothing, such as 30s") }
    }
}
