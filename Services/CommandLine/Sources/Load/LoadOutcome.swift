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
