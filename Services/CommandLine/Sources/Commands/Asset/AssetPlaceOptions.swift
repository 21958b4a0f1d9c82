import ArgumentParser
import CommandLineSession
import ServiceMessages

/// Which asset: that of a record's field.
struct AssetPlaceOptions: ParsableArguments {
    @Option(help: "The record's zone.")
    var zone: String?

    @Option(help: "The record's name.")
    var name: String?

    @Option(help: "The field.")
    var field: String?

    @Option(help: "Which one of a list, from 0.")
    var index = 0

    /// The place.
    ///
    /// - Throws: a `ValidationError` unless all of it is given.
    func place() throws -> AssetPlace {
        guard let zone, let name, let field else { throw ValidationError("Give --zone, --name and --field") }
        guard index >= 0 else { throw ValidationError("--index is a number from 0") }
        return AssetPlace(zone: zone, recordName: name, field: field, index: index)
    }

    /// Whether nothing of a place is given.
    var isEmpty: Bool { zone == nil && name == nil && field == nil }
}

/// Which stored content: by its checksum, or that of a record's field.
struct AssetSubject: ParsableArguments {
    @OptionGroup var options: AssetPlaceOptions

    @Argument(help: "The checksum: 64 hexadecimal digits, as sha256sum prints, or a fileChecksum.")
    var checksum: AssetChecksum?

    func validate() throws {
        guard checksum == nil || options.isEmpty else {
            throw ValidationError("Give a checksum, or --zone, --name and --field, not both")
        }
        if checksum == nil { _ = try options.place() }
    }

    /// The checksum; a round trip when a field has to be looked up.
    ///
    /// - Throws: as ``Requester/asset(at:limit:)``.
    func checksum(_ session: BrokerSession) async throws -> AssetChecksum {
        if let checksum { return checksum }
        return try await session.asset(at: try options.place(), limit: .requestLimit).checksum
    }
}
