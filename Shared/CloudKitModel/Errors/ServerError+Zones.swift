/// The errors of zones and change tokens.
extension ServerError {
    /// "Zone 'x' does not exist".
    package static func zoneNotFound(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotFound, "Zone '\(zoneID.zoneName.rawValue)' does not exist"
        ).about(zoneID: zoneID)
    }

    /// The user removed the application's data: the client wipes its copy and does not upload it again.
    package static func zonePurged(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zonePurged, "Zone '\(zoneID.zoneName.rawValue)' was purged by its user"
        ).about(zoneID: zoneID)
    }

    /// The token's history is gone: the client starts from nothing.
    package static func changeTokenExpired() -> ServerError {
        ServerError(.changeTokenExpired, "The sync token has expired; fetch again without one", field: "syncToken")
    }

    /// The token is ours, but of another zone or database.
    package static func changeTokenForeign() -> ServerError {
        ServerError(
            .changeTokenForeign, "The sync token belongs to another zone or database",
            field: "syncToken")
    }

    /// The token is not one of ours.
    package static func changeTokenInvalid() -> ServerError {
        ServerError(
            .changeTokenInvalid, "The sync token is not one this server issued",
            field: "syncToken")
    }

    /// "cannot get changes in default zone".
    package static func noChangesInDefaultZone() -> ServerError {
        ServerError(
            .defaultZoneHasNoChanges, "cannot get changes in default zone",
            field: "zoneID")
    }

    /// "atomic operations not supported in default zone".
    package static func atomicInDefaultZone() -> ServerError {
        ServerError(.defaultZoneNotAtomic, "atomic operations not supported in default zone", field: "atomic")
    }

    /// A change feed of the public database, which CloudKit has not.
    package static func noChangesInDatabase(_ scope: DatabaseScope) -> ServerError {
        ServerError(.changesNotInDatabase, "cannot get changes in the \(scope.wireName) database", field: "database")
    }

    /// Other transactions held the zone for longer than a request waits.
    package static func zoneBusy(_ zoneID: ZoneID) -> ServerError {
        ServerError(.zoneBusy, "Zone '\(zoneID.zoneName.rawValue)' is busy").about(zoneID: zoneID)
    }

    /// Something that the default zone, or the zones of the public or shared database, do not allow.
    package static func zoneNotModifiable(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotModifiable, "Zone '\(zoneID.zoneName.rawValue)' cannot be created or deleted in this database"
        ).about(zoneID: zoneID)
    }
}
