internal import Crypto
package import ServiceMessages

/// The eight bytes that represent a full name in tokens.
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

    private static func digest(_ path: String) -> UInt64 {
        SHA256.hash(data: Array(path.utf8)).prefix(8).reduce(0) { ($0 << 8) | UInt64($1) }
    }
}
