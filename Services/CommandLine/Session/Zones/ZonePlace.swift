package import CloudKitWire

/// A zone as it is identified in a request. In the shared database, a zone is identified by both its name and its
/// owner.
package struct ZonePlace: Hashable, Sendable {
    /// The help text of an option for the owner.
    package static let ownerHelp = "The user who owns the zone; required in the shared database."

    /// The zone's name.
    package var name: String
    /// The record name of the user who owns the zone; nil for the owner of the database.
    package var owner: String?

    /// Creates a place.
    package init(_ name: String, owner: String? = nil) {
        self.name = name
        self.owner = owner
    }

    /// The zone as a zone ID dictionary.
    package var json: JSONValue {
        .object(having: [("zoneName", .string(name)), ("ownerRecordName", owner.map { .string($0) })])
    }
}
