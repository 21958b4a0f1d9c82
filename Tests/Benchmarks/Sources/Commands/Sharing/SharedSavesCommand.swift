internal import ArgumentParser
internal import CloudKitWire
internal import Foundation

/// `zonda-limits shared-saves`.
struct SharedSavesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared-saves",
        abstract: "Measure saves into shared trees, and into trees of the same form that are not shared.",
        discussion: """
            Measures the saves of the owner into unshared trees, those of the owner into shared trees, and those of a \
            participant, in turn. Each of them has the given duration and number of zones. Prints the saves per second \
            {"unshared", "owner", "participant"}.
            """)

    @Option(help: "The number of zones.")
    var zones = 100

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The fraction of the saves that change an existing record.")
    var updates = 0.5

    @Option(help: "The number of connections that publish.")
    var producers = 4

    @Option(help: "The number of requests in progress per connection.")
    var inFlight = 256

    @Option(help: "The number of turns.")
    var turns = 4

    @Option(help: "The duration of the measurement of each kind: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...10_000).contains(zones), (0...1).contains(updates), (1...1000).contains(producers),
            (1...5000).contains(inFlight), (1...1000).contains(turns)
        else {
            throw ValidationError(
                "--zones 1 to 10000, --updates 0 to 1, --producers 1 to 1000, --in-flight 1 to 5000, --turns 1 to 1000")
        }
    }

    func run() async throws {
        let saves = SharedSaves(
            zoneCount: zones, sizeBytes: size, updates: updates, duration: duration, rounds: turns)
        let reached = try await saves.run(
            Producers(configuration: try LimitEnvironment.broker(), count: producers, inFlight: inFlight))
        printLine(
            .object(
                SharedSaves.Side.allCases.map { side in
                    .init(side.rawValue, .double((reached[side]?.perSecond ?? 0).rounded(places: 1)))
                }))
    }
}
