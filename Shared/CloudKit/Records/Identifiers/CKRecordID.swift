public import Foundation

/// The identity of a record: its name and its zone. Source code calls it `CKRecord.ID`.
///
/// Names are not checked here. The server refuses a wrong name with `invalidArguments`.
open class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The record's name, unique within its zone.
    public let recordName: String
    /// The zone that contains the record.
    public let zoneID: CKRecordZoneID

    init(name: String, zone: CKRecordZoneID) {
        recordName = name
        zoneID = zone
        super.init()
    }

    /// Creates the ID of a record, by default with a new name and in the default zone.
    public convenience init(recordName: String = UUID().uuidString, zoneID: CKRecordZoneID = CKRecordZoneID.default) {
        self.init(name: recordName, zone: zoneID)
    }

    // MARK: - NSObject

    /// Returns this object, because IDs do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is the ID of a record with the same name in the same zone.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return self === other || recordName == other.recordName && zoneID.isEqual(other.zoneID)
    }

    /// The hash of the name and the zone.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID.hash)
        return hasher.finalize()
    }

    /// The name and the zone.
    open override var description: String {
        "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.zoneName):\(zoneID.ownerName)>"
    }

    // MARK: - NSSecureCoding

    /// Whether archives may require secure coding: always.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an ID from an archive. Returns nil if it has no name or no zone.
    public required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "RecordName"),
            let zone = coder.decodeObject(of: CKRecordZoneID.self, forKey: "ZoneID")
        else { return nil }
        recordName = String(describing: name)
        zoneID = zone
        super.init()
    }

    /// Writes the ID to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: recordName), forKey: "RecordName")
        coder.encode(zoneID, forKey: "ZoneID")
    }
}
