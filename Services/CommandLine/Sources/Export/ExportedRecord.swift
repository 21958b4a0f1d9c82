import CloudKitModel
import CloudKitWire
import CommandLineSession

/// A line of an export: a web-services operation for `zonda import`.
struct ExportedRecord: Sendable {
    /// The line.
    let line: JSONValue
    /// The record's assets, with their download addresses.
    private(set) var assets: [AssetValue] = []
    /// Whether the record was deleted.
    let isDeleted: Bool

    /// Returns the line that creates `zone` before its records; nil for the default zone, which every database
    /// contains.
    static func line(ofZone zone: String) -> JSONValue? {
        zone == ZoneName.defaultZone.rawValue
            ? nil : ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(zone)]]]
    }

    /// Creates a line from a record or tombstone in the zone's feed. The line also contains the members that only the
    /// service can set (tag, times, users), for information; imports ignore them.
    init(_ record: JSONValue, zone: String) {
        isDeleted = record["deleted"]?.bool == true
        let owner = record["zoneID"]?["ownerRecordName"]
        var assets: [AssetValue] = []
        let kept = (record.members ?? []).filter { !Self.droppedKeys.contains($0.key) }
        let fields = (record["fields"]?.members ?? []).map { field in
            JSONValue.Member(
                field.key,
                field.value.changing("value") { value in
                    guard let elements = value.array else { return Self.portable(value, owner, &assets) }
                    return .array(elements.map { Self.portable($0, owner, &assets) })
                })
        }
        line = [
            "operationType": isDeleted ? "forceDelete" : "forceReplace", "zoneID": ["zoneName": .string(zone)],
            "record": JSONValue.object(kept).changing("fields") { _ in .object(fields) },
        ]
        self.assets = assets
    }

    /// The members of a record that are left out of the line, because they are redundant or concern sharing.
    ///
    /// Shares are not exported, because their participants and links belong to the users of one database.
    private static let droppedKeys: Set<String> = [
        "zoneID", "deleted", "pluginFields", "shortGUID", "share", "participants", "owner", "currentUserParticipant",
        "publicPermission",
    ]

    /// Returns whether a record or tombstone in the zone's feed is a share. An export contains no lines for shares.
    static func isShare(_ record: JSONValue) -> Bool {
        record["recordType"]?.string == RecordTypeName.share.rawValue
    }

    /// Returns the value in a form that is valid in another database: an asset loses its download address, and a
    /// reference to a zone of the same owner loses the owner's name.
    private static func portable(_ value: JSONValue, _ owner: JSONValue?, _ assets: inout [AssetValue]) -> JSONValue {
        if let asset = AssetValue(value) {
            assets.append(asset)
            return value.without("downloadURL")
        }
        return value.changing("zoneID") { zoneID in
            zoneID["ownerRecordName"] == owner ? zoneID.without("ownerRecordName") : zoneID
        }
    }
}

extension JSONValue {
    /// Returns the object without `key`.
    fileprivate func without(_ key: String) -> JSONValue { .object((members ?? []).filter { $0.key != key }) }
}
