import ArgumentParser
import CloudKitWire
import CommandLineSession

/// `zonda record …`.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Save, get, query and delete records, and read a zone's changes.",
        subcommands: [
            RecordSave.self, RecordGet.self, RecordDelete.self, RecordChanges.self, RecordQuery.self, RecordCount.self,
            RecordExplain.self,
        ])
}

/// The zone of the records.
struct ZoneOption: ParsableArguments {
    @Option(help: "The record zone.")
    var zone: String

    @Option(help: ArgumentHelp(ZonePlace.ownerHelp))
    var owner: String?

    /// The zone as a zone ID dictionary.
    var json: JSONValue { ZonePlace(zone, owner: owner).json }
}
