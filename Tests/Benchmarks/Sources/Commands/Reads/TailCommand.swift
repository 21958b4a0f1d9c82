internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits tail`.
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Measure the time to fetch the last changes of a zone with an earlier token.",
        discussion: """
            Saves --changes new records in the zone and fetches them --repeats times, one fetch after the other. \
            Prints {"p50", "p99"} in milliseconds.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The number of changes since the token.")
    var changes = 100

    @Option(help: "Fetches.")
    var repeats = 1000

    func validate() throws {
        guard (1...1000).contains(changes), (1...100_000).contains(repeats) else {
            throw ValidationError("--changes 1 to 1000, --repeats 1 to 100000")
        }
    }

    func run() async throws {
        let tail = Tail(zone: zone.zone(sizeBytes: size), changeCount: changes, repeatCount: repeats)
        let seconds = try await tail.bySeconds()
        func milliseconds(at share: Double) -> JSONValue {
            .double(seconds[min(seconds.count - 1, Int(Double(seconds.count) * share))] * 1000)
        }
        printLine(["p50": milliseconds(at: 0.5), "p99": milliseconds(at: 0.99)])
    }
}
