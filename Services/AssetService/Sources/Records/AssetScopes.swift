internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Determines the database to which the uploads of a request belong. In the shared database, that is the private
/// database of the zone's owner, and the caller must have the right to write in the zone.
struct AssetScopes: Sendable {
    let rights: ShareRights

    /// Returns the scope of a request. In the shared database, the caller's rights are read from the record service.
    ///
    /// - Parameter zoneID: the zone whose records will refer to the uploads, as the caller wrote it.
    /// - Throws: `BAD_REQUEST` if the zone is malformed or, in the shared database, has no owner; `ZONE_NOT_FOUND` if
    ///   the owner is the caller or not a valid name; any error that ``ShareRights/checkWriting(_:deadline:)`` throws.
    func scope(of request: OpenedRequest, in zoneID: JSONValue?) async throws -> AssetScope {
        var context = request.context
        let zone = try Self.zone(zoneID)
        guard context.scope == .shared else { return AssetScope(context.address(ofZone: .defaultZone)) }
        guard let zone, let owner = zone.ownerRecordName else { throw ServerError.missingKey("ownerRecordName") }
        // The shared database does not contain the caller's own zones, and every owner has a valid user record name.
        guard owner.rawValue != context.user, (try? UserName(validating: owner.rawValue)) != nil else {
            throw ServerError.zoneNotFound(zone)
        }
        context.zoneOwner = owner.rawValue
        let scope = AssetScope(context.address(ofZone: zone.zoneName), savedBy: context.user)
        try await rights.checkWriting(scope, deadline: context.deadline)
        return scope
    }

    /// Returns the zone that a request names; nil if it names none. The owner is nil if it is omitted or is an alias
    /// for the caller.
    ///
    /// - Throws: `BAD_REQUEST`.
    static func zone(_ zoneID: JSONValue?) throws(ServerError) -> ZoneID? {
        guard let zoneID, !zoneID.isNull else { return nil }
        guard zoneID.members != nil else { throw .wrongKind("zoneID", expected: "a zone ID dictionary") }
        guard let name = try zoneID.text("zoneName") else { throw .missingKey("zoneName") }
        var owner = try zoneID.text("ownerRecordName")
        if owner == nil { owner = try zoneID.text("ownerName") }
        let isCaller = ["", RequestContext.defaultOwner, "_defaultOwner"].contains(owner)
        do {
            return ZoneID(
                zoneName: try ZoneName(validating: name),
                ownerRecordName: isCaller ? nil : owner.map(UserName.init(unchecked:)))
        } catch {
            throw ServerError(error, field: "zoneName")
        }
    }
}
