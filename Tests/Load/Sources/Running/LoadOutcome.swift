import ArgumentParser
import CloudKitWire
import CommandLineSession

/// The result of a load, as `zonda load` prints it.
protocol LoadOutcome: Sendable {
    /// The result as an object, with times in milliseconds and memory in bytes.
    var json: JSONValue { get }
    /// The result as text.
    var lines: [String] { get }
    /// Whether the run succeeded and found no error.
    var isGood: Bool { get }
    /// The peak memory of the services.
    var peakMemory: PeakMemory { get set }
    /// The number of requests in progress when the load gave up.
    var outstanding: Int { get set }
    /// The duration from the first request to the last answer.
    var elapsed: Duration { get }
    /// The latencies of the operations.
    var latencies: LatencyHistogram { get }
    /// The number of failures by code.
    var errors: ErrorCounts { get }
    /// The number of failed operations.
    var failed: Int { get }
}

extension LoadOutcome {
    /// Returns `count` per second; 0 if no time has passed.
    func perSecond(_ count: Double, places: Int = 1) -> Double {
        elapsed > .zero ? (count / elapsed.seconds).rounded(places: places) : 0
    }

    /// Returns an object with `counts`, the latencies, `more`, and the members that every load has.
    func json(_ counts: [(String, JSONValue?)], _ more: [(String, JSONValue?)]) -> JSONValue {
        .object(
            having: counts + latencies.members + [("errors", errors.json), ("outstanding", .count(outstanding))] + more
                + [
                    ("seconds", .double(elapsed.seconds.rounded(places: 3))), ("peakBytes", peakMemory.json),
                ])
    }

    /// Returns the rows that `counts` adds, those of the latencies and failures, and the rows that `more` adds.
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
    /// Runs a load over new sessions and prints its result.
    ///
    /// - Parameters:
    ///   - options: the number of connections, the duration and the grace period.
    ///   - window: the maximum number of requests in progress in each session.
    ///   - load: called with the sessions, and with the grace period for work that does not use the sessions.
    /// - Throws: `ExitCode.failure` if the load found an error or gave up; a `ValidationError` for missing options.
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
    /// - Throws: the errors of ``runLoad(_:window:_:)``.
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
    /// Runs a load over sessions, and gives up if their requests are not answered.
    ///
    /// - Throws: the errors of `load`; `.unanswered` if the load gave up without a result.
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
                reason: "given up: no request was answered for \(grace); \(outstanding) requests are outstanding")
        }
    }
}

/// The options of every load.
struct LoadOptions: ParsableArguments {
    @Option(help: "The number of connections.")
    var producers = 4

    @Option(help: "The time during which requests are started, such as 500ms, 20s or 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(20)

    @Option(
        help: "The time without an answer after which the load gives up, once the duration has passed.",
        transform: Duration.parse)
    var grace: Duration = .seconds(30)

    @Option(help: "The seed of an earlier run, to repeat its names and sequence of operations.")
    var seed: UInt64?

    /// The specified seed, or a new one.
    var seedOrNew: UInt64 { seed ?? UInt64.random(in: 0...0xFFFF_FFFF) }

    func validate() throws {
        guard (1...1000).contains(producers) else { throw ValidationError("--producers must be from 1 to 1000") }
        guard duration > .zero else { throw ValidationError("--duration must be above zero, such as 20s") }
        guard grace > .zero else { throw ValidationError("--grace must be above zero, such as 30s") }
    }
}
