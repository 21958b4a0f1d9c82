internal import ArgumentParser

/// `zonda-limits fill`.
struct FillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Save the records that other subcommands read in an existing zone.")

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The number of different values of the records' numbers; unique numbers by default.")
    var values: Int?

    @Option(help: "The number of private databases whose default zones to fill, instead of one zone.")
    var databases: Int?

    func validate() throws {
        guard values ?? 1 > 0, (1...10_000_000).contains(databases ?? 1) else {
            throw ValidationError("--values must be at least 1, --databases from 1 to 10000000")
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
