internal import Crypto
package import ServiceMessages

/// The eight bytes that stand for a full name in tokens.
package enum AddressDigest {
    /// A zone's.
    package static func zone(_ address: ZoneAddress) -> UInt64 { digest(RoutingKey.zonePath(address)) }

    /// The one of the database that the zone is in.
    package static func database(of address: ZoneAddress) -> UInt64 { digest(RoutingKey.databasePath(address)) }

    private static func digest(_ path: String) -> UInt64 {
        SHA256.hash(data: Array(path.utf8)).prefix(8).reduce(0) { ($0 << 8) | UInt64($1) }
    }
}
