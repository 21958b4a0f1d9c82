internal import Foundation

/// CloudKit's classes that archives can contain, and their names in archives.
enum ArchivedClasses {
    /// The classes, with the names that they have in Apple's archives.
    static let all: [(name: String, type: AnyClass)] = [
        ("CKRecord", CKRecord.self), ("CKRecordID", CKRecordID.self), ("CKRecordZoneID", CKRecordZoneID.self),
        ("CKReference", CKReference.self), ("CKAsset", CKAsset.self), ("CKRecordZone", CKRecordZone.self),
        ("CKServerChangeToken", CKServerChangeToken.self), ("CKShare", CKShare.self),
        ("CKShareParticipant", CKShareParticipant.self), ("CKShareMetadata", CKShareMetadata.self),
        ("CKUserIdentity", CKUserIdentity.self), ("CKUserIdentityLookupInfo", CKUserIdentityLookupInfo.self),
        ("CKRecordValueStore", CKRecordValueStore.self),
        ("CKEncryptedRecordValueStore", CKEncryptedRecordValueStore.self), ("CLLocation", CLLocation.self),
        ("CKQuery", CKQuery.self), ("CKQueryCursor", CKQueryCursor.self), ("CKSubscription", CKSubscription.self),
        ("CKQuerySubscription", CKQuerySubscription.self),
        ("CKRecordZoneSubscription", CKRecordZoneSubscription.self),
        ("CKDatabaseSubscription", CKDatabaseSubscription.self), ("CKNotificationInfo", CKNotificationInfo.self),
        ("CKNotificationID", CKNotificationID.self),
    ]

    /// The names by class.
    static let names = Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0.type), $0.name) })

    /// The names of Foundation's classes that CloudKit's archives contain.
    static let foundation: Set<String> = [
        "NSArray", "NSData", "NSDate", "NSDictionary", "NSMutableArray", "NSMutableData", "NSMutableDictionary",
        "NSMutableSet", "NSMutableString", "NSNumber", "NSPersonNameComponents", "NSSet", "NSString", "NSURL", "NSUUID",
        "NSValue",
    ]

    /// The names by the names that Foundation's archiver writes.
    private static let namesInModule = Dictionary(
        uniqueKeysWithValues: all.map { (NSStringFromClass($0.type), $0.name) })

    /// Replaces the names of CloudKit's classes in an archive that Foundation's archiver has written.
    static func renamed(_ archive: Data) -> Data {
        var format = PropertyListSerialization.PropertyListFormat.binary
        guard let plist = try? PropertyListSerialization.propertyList(from: archive, options: [], format: &format),
            var table = plist as? [String: Any], var objects = table["$objects"] as? [Any]
        else { return archive }
        for index in objects.indices {
            guard var entry = objects[index] as? [String: Any], let name = entry["$classname"] as? String,
                let classes = entry["$classes"] as? [String], namesInModule[name] != nil
            else { continue }
            entry["$classname"] = namesInModule[name] ?? name
            entry["$classes"] = classes.map { namesInModule[$0] ?? $0 }
            objects[index] = entry
        }
        table["$objects"] = objects
        return (try? PropertyListSerialization.data(fromPropertyList: table, format: format, options: 0)) ?? archive
    }
}
