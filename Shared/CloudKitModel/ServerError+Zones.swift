/// The errors of zones and change tokens.
extension ServerError {
    /// "Zone 'x' does not exist".
    package static func zoneNotFound(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotFound, reasonCode: "zone_not_found", reason: "Zone '\(zoneID.zoneName.rawValue)' does not exist"
        ).about(zoneID: zoneID)
    }

    /// The user removed the application's data: the client wipes its copy and does not upload it again.
    package static func zonePurged(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotFound, .userDeletedZone, reasonCode: "zone_purged",
            reason: "Zone '\(zoneID.zoneName.rawValue)' was purged by its user"
        ).about(zoneID: zoneID)
    }

    /// The token's history is gone: the client starts from nothing.
    package static func changeTokenExpired() -> ServerError {
        ServerError(
            .badRequest, .changeTokenExpired, reasonCode: "change_token_expired",
            reason: "The sync token has expired; fetch again without one", field: "syncToken")
    }

    /// The token is ours, but of another zone or database.
    package static func changeTokenForeign() -> ServerError {
        ServerError(
            .badRequest, reasonCode: "change_token_foreign",
            reason: "The sync token belongs to another zone or database",
            field: "syncToken")
    }

    /// The token is not one of ours.
    package static func changeTokenInvalid() -> ServerError {
        ServerError(
            .badRequest, reasonCode: "change_token_invalid", reason: "The sync token is not one this server issued",
            field: "syncToken")
    }

    /// "cannot get changes in default zone".
    package static func noChangesInDefaultZone() -> ServerError {
        ServerError(
            .badRequest, reasonCode: "default_zone_has_no_changes", reason: "cannot get changes in default zone",
            field: "zoneID")
    }

    /// "atomic operations not supported in default zone".
    package static func atomicInDefaultZone() -> ServerError {
        ServerError(
            .badRequest, reasonCode: "default_zone_not_atomic",
            reason: "atomic operations not supported in default zone", field: "atomic")
    }

    /// Something that the default zone, or the zones of the public or shared database, do not allow.
    package static func zoneNotModifiable(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .badRequest, reasonCode: "zone_not_modifiable",
            reason: "Zone '\(zoneID.zoneName.rawValue)' cannot be created or deleted in this database"
        ).about(zoneID: zoneID)
    }
}
