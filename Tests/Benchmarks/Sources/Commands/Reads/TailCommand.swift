internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits tail`.
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "How long the last changes of a zone take, fetched by the token of before.",
        discussion: """
            Saves --changes new records into the zone and fetches them --repeats times, one fetch after the other. \
            Prints {"p50", "p99"} in milliseconds.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "Bytes of one record's operation.")
    var size = 500

    @Option(help: "Changes since the token.")
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
