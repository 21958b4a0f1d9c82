internal import CloudKitModel
internal import Crypto
package import ServiceMessages

/// The eight bytes that represent the full name of a zone or a database in tokens.
package enum AddressDigest {
    /// Returns the digest of a zone.
    package static func zone(_ address: ZoneAddress) -> UInt64 { digest(RoutingKey.zonePath(address)) }

    /// Returns the digest of another user's zone as `reader` sees it. It makes a token that was issued to one user
    /// invalid for any other user.
    package static func zone(_ address: ZoneAddress, for reader: String) -> UInt64 {
        digest("\(RoutingKey.zonePath(address))\u{0}\(reader)")
    }

    /// Returns the digest of the database that contains the zone.
    package static func database(of address: ZoneAddress) -> UInt64 { digest(RoutingKey.databasePath(address)) }

    /// Returns the digest of the requesting user's shared database. It makes a token that was issued to one user
    /// invalid for any other user.
    static func sharedDatabase(_ context: RequestContext) -> UInt64 {
        let path = RoutingKey.databasePath(
            ZoneAddress(
                container: context.container, environment: context.environment, scope: .private, owner: "",
                zone: .defaultZone))
        return digest("\(path)\u{0}\(context.user)")
    }

    private static func digest(_ path: String) -> UInt64 {
        SHA256.hash(data: Array(path.utf8)).prefix(8).reduce(0) { ($0 << 8) | UInt64($1) }
    }
}
