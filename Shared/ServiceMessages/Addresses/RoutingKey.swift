package import CloudKitModel
internal import Crypto

/// The routing keys for topic exchanges, built from names that clients chose.
package enum RoutingKey {
    /// The maximum length of an encoded part, in bytes. A longer part is replaced by a digest of the name, because a
    /// whole key is limited to 255 bytes.
    package static let maxPartBytes = 40

    /// Returns a name encoded as one part of a key.
    ///
    /// `.` `*` `#` `%` `~`, spaces, control characters and non-ASCII bytes are encoded as `%XX`. If the result is
    /// longer than 40 bytes, the part is `~` followed by the first 32 hexadecimal digits of the name's SHA-256.
    /// Different names always have different parts.
    package static func part(_ name: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "~"),
                0...0x20, 0x7F...:
                encoded.append(UInt8(ascii: "%"))
                encoded.append(hexDigits[Int(byte >> 4)])
                encoded.append(hexDigits[Int(byte & 15)])
            default:
                encoded.append(byte)
            }
        }
        guard encoded.count > maxPartBytes else { return String(decoding: encoded, as: UTF8.self) }
        let digest = SHA256.hash(data: Array(name.utf8)).prefix(16)
        return "~" + digest.map { byte in hex(byte) }.joined()
    }

    /// Returns the key of a change event: `<shard>.<container>.<environment>.<scope>.<owner>.<zone>`.
    package static func change(_ address: ZoneAddress) -> String {
        "\(shardPart(shard(of: address))).\(zonePath(address))"
    }

    /// Returns the shard of a zone: the number of the queue that receives the zone's changes, from 0 to
    /// ``shardCount`` - 1.
    package static func shard(of address: ZoneAddress) -> Int {
        Int(SHA256.hash(data: Array(zonePath(address).utf8)).first { _ in true } ?? 0) % shardCount
    }

    /// Returns a shard's number as two digits.
    package static func shardPart(_ shard: Int) -> String { shard < 10 ? "0\(shard)" : "\(shard)" }

    /// The second key (`CC`) of changes that dropped references to assets. The asset service receives only these
    /// changes, because a quorum queue for all changes would cost every save a replicated write.
    package static let droppedAssets = "assets.dropped"

    /// Returns the key of a zone's notifications: `zone.<container>.<environment>.<scope>.<owner>.<zone>`.
    package static func zoneNotification(_ address: ZoneAddress) -> String { "zone.\(zonePath(address))" }

    /// Returns the key of a saved subscription's notifications:
    /// `user.<container>.<environment>.<user>.<subscriptionID>`.
    package static func userNotification(
        container: String, environment: EnvironmentName, user: String, subscriptionID: String
    ) -> String {
        "user." + [container, environment.rawValue, user, subscriptionID].map(part).joined(separator: ".")
    }

    /// The number of queues across which the exchange for changes distributes the zones.
    package static let shardCount = 16

    /// Returns `<container>.<environment>.<scope>.<owner>.<zone>`, each part encoded.
    package static func zonePath(_ address: ZoneAddress) -> String {
        "\(databasePath(address)).\(part(address.zone.rawValue))"
    }

    /// Returns the path of a zone's database: `<container>.<environment>.<scope>.<owner>`, each part encoded.
    package static func databasePath(_ address: ZoneAddress) -> String {
        [address.container, address.environment.rawValue, address.scope.wireName, address.owner]
            .map(part).joined(separator: ".")
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}

/// The full name of a zone, as it appears in events and routing keys.
package struct ZoneAddress: Sendable, Hashable {
    /// The container's identifier.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database: public or private.
    package var scope: DatabaseScope
    /// The owner's user record name; ``publicOwner`` in the public database.
    package var owner: String
    /// The zone's name.
    package var zone: ZoneName

    /// The value that replaces the owner in the public database.
    package static let publicOwner = "_public"

    /// Hashes only the owner and the zone, which distinguish nearly all addresses.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(owner)
        hasher.combine(zone)
    }

    /// Creates an address from its parts.
    package init(
        container: String, environment: EnvironmentName, scope: DatabaseScope, owner: String, zone: ZoneName
    ) {
        self.container = container
        self.environment = environment
        self.scope = scope
        self.owner = owner
        self.zone = zone
    }
}
