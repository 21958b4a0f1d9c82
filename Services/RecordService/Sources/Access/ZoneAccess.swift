internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// Checks the owners of the zones that a request names.
enum ZoneAccess {
    /// Checks the owner of a zone (web-services 3.1). In the public and private databases, the owner, if given, must be
    /// the caller (`__defaultOwner__`, `_defaultOwner` or the user's own name) or the owner of the database. In the
    /// shared database, it must be another user.
    ///
    /// - Throws: in the public and private databases, `ACCESS_DENIED` for another user's zone; in the shared database,
    ///   `BAD_REQUEST` if no owner is given, or `ZONE_NOT_FOUND` for the caller's own zones, which the shared database
    ///   does not contain.
    static func check(_ zoneID: ZoneID, for context: RequestContext) throws(ServerError) {
        guard let owner = zoneID.ownerRecordName?.rawValue else {
            guard context.scope != .shared else { throw .missingKey("ownerRecordName") }
            return
        }
        var own = [RequestContext.defaultOwner, "_defaultOwner", context.user]
        guard context.scope != .shared else {
            guard !own.contains(owner) else { throw .zoneNotFound(zoneID) }
            return
        }
        own.append(context.databaseOwner)
        guard own.contains(owner) else {
            throw ServerError(
                .zoneOfAnotherUser, "The zone belongs to another user; other users' zones are in the shared database",
                field: "ownerRecordName")
        }
    }

    /// Returns the context in which a query is run. A query of the shared database searches one zone (semantics 7.9).
    ///
    /// - Throws: the same errors as ``check(_:for:)`` and, in the shared database, `BAD_REQUEST` if no zone is given.
    static func context(of scope: QueryScope, for context: RequestContext) throws(ServerError) -> RequestContext {
        guard let zoneID = scope.zoneID else {
            guard context.scope != .shared else { throw .missingKey("zoneID") }
            return context
        }
        return try self.context(of: zoneID, for: context)
    }

    /// Checks the owner of a zone, and returns the context in which the zone is read. In the shared database, that is
    /// the database of the zone's owner.
    ///
    /// - Throws: the same errors as ``check(_:for:)``.
    static func context(of zoneID: ZoneID, for context: RequestContext) throws(ServerError) -> RequestContext {
        try check(zoneID, for: context)
        var context = context
        if context.scope == .shared { context.zoneOwner = zoneID.ownerRecordName?.rawValue }
        return context
    }
}
