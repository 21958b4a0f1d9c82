/// Which requests are accepted (semantics 0). A request never means another thing in another profile: it only goes from
/// refused to accepted.
package enum Profile: String, CaseIterable, Hashable, Sendable {
    /// Whatever CloudKit accepts, and more.
    case extended
    /// What CloudKit refuses is refused with the same code, for testing clients against it; its limits are defaults.
    case compat

    /// Checks that a zone has a change feed: in CloudKit the default zone and the public database have none
    /// (semantics 1.3).
    package func checkChanges(of zoneID: ZoneID, in scope: DatabaseScope) throws(ServerError) {
        try checkChanges(in: scope)
        if self == .compat, zoneID.isDefault { throw .noChangesInDefaultZone().about(zoneID: zoneID) }
    }

    /// Checks that a database has a change feed.
    package func checkChanges(in scope: DatabaseScope) throws(ServerError) {
        if self == .compat, scope == .public { throw .noChangesInDatabase(scope) }
    }

    /// Checks what a request says about its being atomic: in the default zone it must not ask for that.
    package func checkAtomic(_ atomic: Bool?, in zoneID: ZoneID) throws(ServerError) {
        if self == .compat, atomic == true, zoneID.isDefault { throw .atomicInDefaultZone().about(zoneID: zoneID) }
    }
}
