internal import CloudKitModel
internal import ServiceMessages

/// Checks the owners of the zones that a request names.
enum ZoneAccess {
    /// Checks that the owner of a zone, if given, is the caller: `__defaultOwner__`, `_defaultOwner` or the user's own
    /// name (web-services 3.1). The public and private databases contain no zones of other users; those are in the
    /// shared database.
    ///
    /// - Throws: `ACCESS_DENIED`.
    static func check(_ zoneID: ZoneID, for context: RequestContext) throws(ServerError) {
        guard let owner = zoneID.ownerRecordName?.rawValue else { return }
        let own = [RequestContext.defaultOwner, "_defaultOwner", context.user, context.databaseOwner]
        guard own.contains(owner) else {
            throw ServerError(
                .zoneOfAnotherUser, "The zone belongs to another user; other users' zones are in the shared database",
                field: "ownerRecordName")
        }
    }
}
