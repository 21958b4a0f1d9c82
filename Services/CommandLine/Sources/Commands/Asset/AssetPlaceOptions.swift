import ArgumentParser
import CommandLineSession
import ServiceMessages

/// The options that identify an asset by a field of a record.
struct AssetPlaceOptions: ParsableArguments {
    @Option(help: "The record's zone.")
    var zone: String?

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    @Option(help: "The record's name.")
    var name: String?

    @Option(help: "The record's field.")
    var field: String?

    @Option(help: "The index in a list field, starting at 0.")
    var index = 0

    /// Returns the place that the options specify.
    ///
    /// - Throws: a `ValidationError` if an option is missing or the index is negative.
    func place() throws -> AssetPlace {
        guard let zone, let name, let field else { throw ValidationError("Specify --zone, --name and --field") }
        guard index >= 0 else { throw ValidationError("--index must be at least 0") }
        return AssetPlace(zone: zone, owner: owner, recordName: name, field: field, index: index)
    }

    /// Whether zone, name and field are all omitted.
    var isEmpty: Bool { zone == nil && name == nil && field == nil }
}

/// The arguments that identify stored content by its checksum or by a field of a record.
struct AssetSubject: ParsableArguments {
    @OptionGroup var options: AssetPlaceOptions

    @Argument(help: "The checksum: 64 hexadecimal digits, as printed by sha256sum, or a fileChecksum.")
    var checksum: AssetChecksum?

    func validate() throws {
        guard checksum == nil || options.isEmpty else {
            throw ValidationError("Specify either a checksum, or --zone, --name and --field")
        }
        if checksum == nil { _ = try options.place() }
    }

    /// Returns the checksum. Takes a round trip if a field must be looked up.
    ///
    /// - Throws: the same errors as ``Requester/asset(at:limit:)``.
    func checksum(_ session: BrokerSession) async throws -> AssetChecksum {
        if let checksum { return checksum }
        return try await session.asset(at: try options.place(), limit: .requestLimit).checksum
    }
}
