internal import ArgumentParser

/// `zonda-limits fill`.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Saves the records that 'lookups' and 'walk' read into a zone that is there.")

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "Bytes of one record's operation.")
    var size = 500

    func run() async throws { try await zone.zone(sizeBytes: size).fill() }
}

/// Which records are read.
struct ReadZoneOptions: ParsableArguments {
    @Option(help: "The zone.")
    var zone = "reads"

    @Option(help: "Its records.")
    var records = 20_000

    func validate() throws {
        guard (1...10_000_000).contains(records) else { throw ValidationError("--records 1 to 10000000") }
    }

    /// The zone.
    func zone(sizeBytes: Int = 0) -> ReadZone { ReadZone(name: zone, recordCount: records, sizeBytes: sizeBytes) }
}
