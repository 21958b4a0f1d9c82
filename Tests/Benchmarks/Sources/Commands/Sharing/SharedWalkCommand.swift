internal import ArgumentParser
internal import CloudKitWire
internal import Foundation

/// `zonda-limits shared-walk`.
struct SharedWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared-walk",
        abstract: "Measure the records per second of a participant's and of the owner's feed of the same zone.",
        discussion: """
            Fills a zone with records that are all in one share. The walkers read the feed from the beginning to the \
            end, as a participant and as the owner in turn, and fail if a walk does not find all records. Prints \
            {"participant", "owner"}.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The number of walkers, each with a connection.")
    var walkers = 4

    @Option(help: "The number of records in a page.")
    var page = 200

    @Option(help: "The number of turns.")
    var turns = 4

    @Option(help: "The duration of the measurement of each user: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...100).contains(walkers), (1...5000).contains(page), (1...1000).contains(turns) else {
            throw ValidationError("--walkers 1 to 100, --page 1 to 5000, --turns 1 to 1000")
        }
    }

    func run() async throws {
        let walks = SharedWalks(
            name: zone.zone, recordCount: zone.records, sizeBytes: size, pageCount: page, duration: duration,
            rounds: turns)
        let (owner, participant) = try await walks.run(
            Producers(configuration: try LimitEnvironment.broker(), count: walkers, inFlight: 1))
        func perSecond(_ side: SharedWalks.Side) -> JSONValue {
            .double(Throughput(count: side.counts.records, elapsed: side.elapsed).perSecond.rounded(places: 1))
        }
        printLine(["participant": perSecond(participant), "owner": perSecond(owner)])
    }
}
