/// The errors of zones and change tokens.
extension ServerError {
    /// "Zone 'x' does not exist".
    package static func zoneNotFound(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotFound, "Zone '\(zoneID.zoneName.rawValue)' does not exist"
        ).about(zoneID: zoneID)
    }

    /// The error of requests on a zone that is not there.
    ///
    /// - Parameter reason: why it went, when it was there; until it is made again, clients have to know (semantics 6).
    package static func zoneNotFound(_ zoneID: ZoneID, deleted reason: ZoneDeletionReason?) -> ServerError {
        switch reason {
        case .purged: .zonePurged(zoneID)
        case .encryptedDataReset: .zoneReset(zoneID)
        case .deleted, nil: .zoneNotFound(zoneID)
        }
    }

    /// "Zone was purged by user": the client wipes its copy and does not upload it again.
    package static func zonePurged(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zonePurged, "Zone was purged by user"
        ).about(zoneID: zoneID)
    }

    /// The keys of its encrypted fields were reset: see ``isEncryptedDataReset``.
    package static func zoneReset(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneEncryptedDataReset, "The encrypted data of zone '\(zoneID.zoneName.rawValue)' was reset"
        ).about(zoneID: zoneID)
    }

    /// Whether the client is to make the zone again and upload what it has (CKErrorUserDidResetEncryptedDataKey; the
    /// wire's `encryptedDataReset`).
    package var isEncryptedDataReset: Bool { reasonCode == ReasonCode.zoneEncryptedDataReset.rawValue }

    /// The token's history is gone: the client starts from nothing.
    package static func changeTokenExpired(_ cause: ChangeTokenExpiry) -> ServerError {
        ServerError(
            .changeTokenExpired, "The sync token has expired: \(cause.reason); fetch again without one",
            field: "syncToken")
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
