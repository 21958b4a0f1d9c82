/// The identifier of a zone within a database: its name and its owner.
package struct ZoneID: Hashable, Sendable, CustomStringConvertible {
    /// The zone's name.
    package var zoneName: ZoneName
    /// The zone's owner; nil for the requesting user. Required only in the shared database.
    package var ownerRecordName: UserName?

    /// Creates the identifier of a zone owned by `ownerRecordName`, or by the request's user.
    package init(zoneName: ZoneName, ownerRecordName: UserName? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
    }

    /// The default zone of the request's user.
    package static let defaultZone = ZoneID(zoneName: .defaultZone)

    /// Whether this is the default zone of its owner.
    package var isDefault: Bool { zoneName == .defaultZone }

    /// The `zoneType` in replies.
    package var zoneType: StaticString { isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE" }

    /// `owner/zone`, or only the zone's name if the owner is nil.
    package var description: String {
        ownerRecordName.map { "\($0.rawValue)/\(zoneName.rawValue)" } ?? zoneName.rawValue
    }
}
