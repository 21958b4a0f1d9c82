/// The errors for zones and change tokens.
extension ServerError {
    /// "Zone 'x' does not exist".
    package static func zoneNotFound(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotFound, "Zone '\(zoneID.zoneName.rawValue)' does not exist"
        ).about(zoneID: zoneID)
    }

    /// The error of a request for a zone that does not exist.
    ///
    /// - Parameter reason: The reason why the zone was deleted; nil if it never existed. Clients need the reason until
    ///   the zone is created again (semantics 6).
    package static func zoneNotFound(_ zoneID: ZoneID, deleted reason: ZoneDeletionReason?) -> ServerError {
        switch reason {
        case .purged: .zonePurged(zoneID)
        case .encryptedDataReset: .zoneReset(zoneID)
        case .deleted, nil: .zoneNotFound(zoneID)
        }
    }

    /// "Zone was purged by user": the client should delete its copy and not upload it again.
    package static func zonePurged(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zonePurged, "Zone was purged by user"
        ).about(zoneID: zoneID)
    }

    /// The keys of the zone's encrypted fields were reset (see ``isEncryptedDataReset``).
    package static func zoneReset(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneEncryptedDataReset, "The encrypted data of zone '\(zoneID.zoneName.rawValue)' was reset"
        ).about(zoneID: zoneID)
    }

    /// Whether the client should create the zone again and upload its data. Corresponds to
    /// CKErrorUserDidResetEncryptedDataKey and to `encryptedDataReset` on the wire.
    package var isEncryptedDataReset: Bool { reasonCode == ReasonCode.zoneEncryptedDataReset.rawValue }

    /// The changes since the token was issued are no longer available. The client must fetch everything again.
    package static func changeTokenExpired(_ cause: ChangeTokenExpiry) -> ServerError {
        ServerError(
            .changeTokenExpired, "The sync token has expired: \(cause.reason); fetch again without one",
            field: "syncToken")
    }

    /// The token was issued by this server, but for another zone or database.
    package static func changeTokenForeign() -> ServerError {
        ServerError(
            .changeTokenForeign, "The sync token belongs to another zone or database",
            field: "syncToken")
    }

    /// The token was not issued by this server.
    package static func changeTokenInvalid() -> ServerError {
        ServerError(
            .changeTokenInvalid, "This server did not issue the sync token",
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

    /// The public database has no change feed, as in CloudKit.
    package static func noChangesInDatabase(_ scope: DatabaseScope) -> ServerError {
        ServerError(.changesNotInDatabase, "cannot get changes in the \(scope.wireName) database", field: "database")
    }

    /// Other transactions locked the zone for longer than the request's timeout.
    package static func zoneBusy(_ zoneID: ZoneID) -> ServerError {
        ServerError(.zoneBusy, "Zone '\(zoneID.zoneName.rawValue)' is busy").about(zoneID: zoneID)
    }

    /// The operation is not allowed for the default zone, or for zones in the public or shared database.
    package static func zoneNotModifiable(_ zoneID: ZoneID) -> ServerError {
        ServerError(
            .zoneNotModifiable, "Zone '\(zoneID.zoneName.rawValue)' cannot be created or deleted in this database"
        ).about(zoneID: zoneID)
    }
}
