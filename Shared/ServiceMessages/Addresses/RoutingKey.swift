package import CloudKitModel
internal import Crypto

/// Builds routing keys for topic exchanges from names that clients chose.
package enum RoutingKey {
    /// The longest encoded part, in bytes. A longer part is replaced by its digest, because a whole key is limited to
    /// 255 bytes.
    package static let maxPartBytes = 40

    /// Encodes a name as one part of a key.
    ///
    /// `.` `*` `#` `%` `~`, spaces, controls and non-ASCII bytes become `%XX`. A part that is then longer than 40 bytes
    /// becomes `~` and the first 32 hexadecimal digits of the SHA-256 of the name. Different names never give the same
    /// part.
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

    /// Returns the shard of a zone: the number of the queue, out of ``shardCount``, that receives its changes.
    package static func shard(of address: ZoneAddress) -> Int {
        Int(SHA256.hash(data: Array(zonePath(address).utf8)).first { _ in true } ?? 0) % shardCount
    }

    /// Formats a shard as two digits.
    package static func shardPart(_ shard: Int) -> String { shard < 10 ? "0\(shard)" : "\(shard)" }

    /// The second key (`CC`) of changes that dropped references to assets. The asset service needs only these changes,
    /// and a quorum queue of all changes would cost every save a replicated write.
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

    /// The number of queues between which the change exchange distributes the zones.
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

    /// The value that takes the place of an owner in the public database.
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
