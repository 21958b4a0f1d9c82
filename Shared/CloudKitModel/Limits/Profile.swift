/// The set of accepted requests (semantics 0). A request that both profiles accept has the same meaning in both.
package enum Profile: String, CaseIterable, Hashable, Sendable {
    /// Accepts everything that CloudKit accepts, and more.
    case extended
    /// Rejects the requests that CloudKit rejects, with the same code, so that clients can be tested. The default
    /// limits are CloudKit's.
    case compat

    /// Checks that a zone has a change feed. In CloudKit, the default zone and the zones in the public database have
    /// none (semantics 1.3).
    package func checkChanges(of zoneID: ZoneID, in scope: DatabaseScope) throws(ServerError) {
        try checkChanges(in: scope)
        if self == .compat, zoneID.isDefault { throw .noChangesInDefaultZone().about(zoneID: zoneID) }
    }

    /// Checks that a database has a change feed.
    package func checkChanges(in scope: DatabaseScope) throws(ServerError) {
        if self == .compat, scope == .public { throw .noChangesInDatabase(scope) }
    }

    /// Checks that a request does not require atomicity in the default zone.
    package func checkAtomic(_ atomic: Bool?, in zoneID: ZoneID) throws(ServerError) {
        if self == .compat, atomic == true, zoneID.isDefault { throw .atomicInDefaultZone().about(zoneID: zoneID) }
    }
}
