import ArgumentParser
import CloudKitWire

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
            having: counts + latencies.members + [("errors", errors.json)] + more + [
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
        more(&table)
        peakMemory.add(to: &table)
        return table.lines
    }
}

extension GlobalOptions {
    /// Runs a load over sessions of its own and prints its result.
    ///
    /// - Parameters:
    ///   - producers: how many connections.
    ///   - window: requests under way in each.
    /// - Throws: `ExitCode.failure` when it found something; a `ValidationError` for missing options.
    func runLoad(
        producers: Int, window: Int, _ load: ([BrokerSession]) async throws -> some LoadOutcome
    ) async throws {
        let scope = try scope()
        let url = try brokerURL()
        try await failing {
            defer { Console.endProgress() }
            var outcome = try await BrokerSession.withSeveral(producers, url: url, scope: scope, window: window, load)
            outcome.peakMemory = await PeakMemory.ofServices()
            Console.endProgress()
            for line in json ? [outcome.json.text] : outcome.lines { Console.print(line) }
            guard outcome.isGood else { throw ExitCode.failure }
        }
    }
}

/// What every load takes.
struct LoadOptions: ParsableArguments {
    @Option(help: "Connections.")
    var producers = 4

    @Option(help: "For how long requests are begun: 500ms, 20s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(20)

    @Option(help: "Repeats the names and the mixture of an earlier run.")
    var seed: UInt64?

    /// The seed given, else a new one.
    var seedOrNew: UInt64 { seed ?? UInt64.random(in: 0...0xFFFF_FFFF) }

    func validate() throws {
        guard (1...1000).contains(producers) else { throw ValidationError("--producers is a number from 1 to 1000") }
        guard duration > .zero else { throw ValidationError("--duration is longer than nothing, such as 20s") }
    }
}
