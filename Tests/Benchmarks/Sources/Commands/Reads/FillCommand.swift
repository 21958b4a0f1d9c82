internal import ArgumentParser

/// `zonda-limits fill`.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Saves the records that other subcommands read into a zone that is there.")

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "Bytes of one record's operation.")
    var size = 500

    @Option(help: "How many different numbers they have; each its own, when it is not said.")
    var values: Int?

    @Option(help: "Instead of one zone the default zones of the private databases of so many users.")
    var databases: Int?

    func validate() throws {
        guard values ?? 1 > 0, (1...10_000_000).contains(databases ?? 1) else {
            throw ValidationError("--values at least 1, --databases 1 to 10000000")
        }
    }

    func run() async throws {
        let zone = zone.zone(sizeBytes: size, values: values)
        if let databases {
            try await PrivateDatabases(count: databases, zone: zone).fill()
        } else {
            try await zone.fill()
        }
    }
}

/// The options that determine the records to read.
struct ReadZoneOptions: ParsableArguments {
    @Option(help: "The zone.")
    var zone = "reads"

    @Option(help: "Its records.")
    var records = 20_000

    func validate() throws {
        guard (1...10_000_000).contains(records) else { throw ValidationError("--records 1 to 10000000") }
    }

    /// Returns the zone.
    func zone(sizeBytes: Int = 0, values: Int? = nil) -> ReadZone {
        ReadZone(name: zone, recordCount: records, sizeBytes: sizeBytes, values: values)
    }
}
