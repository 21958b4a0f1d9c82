import Foundation

/// An archive in the layout of Apple's framework, written with an archiver of Foundation whose classes have the names of
/// Apple's.
struct AppleArchive {
    let record: Layout

    static var person: AppleArchive {
        let zone = Layout(
            "CKRecordZoneID", ["ZoneName": "_defaultZone" as NSString, "ownerName": "__defaultOwner__" as NSString])
        let id = Layout("CKRecordID", ["RecordName": "P-1" as NSString, "ZoneID": zone])
        let empty = Layout(
            "CKEncryptedRecordValueStore",
            ["RecordValues": NSDictionary(), "OriginalValues": NSDictionary(), "ChangedKeys": NSSet()])
        let values = Layout(
            "CKRecordValueStore",
            [
                "RecordValues": NSDictionary(dictionary: [
                    "name" as NSString: "Ada" as NSString, "age" as NSString: NSNumber(value: 26),
                ]),
                "OriginalValues": NSDictionary(), "ChangedKeys": NSSet(),
            ])
        return AppleArchive(
            record: Layout(
                "CKRecord",
                [
                    "RecordType": "Person" as NSString, "RecordID": id, "ETag": "jh3g" as NSString,
                    "RecordCtime": NSDate(timeIntervalSinceReferenceDate: 5),
                    "RecordMtime": NSDate(timeIntervalSinceReferenceDate: 6), "CreatorUserRecordID": id,
                    "LastModifiedUserRecordID": id, "ParentReference": nil, "ShareReference": nil,
                    "HasUpdatedParentReference": NSNumber(value: false), "KnownToServer": NSNumber(value: true),
                    "ChainProtectionData": nil, "BaseToken": nil, "ValueStore": values, "EncryptedValueStore": empty,
                ]))
    }

    /// Returns the archive.
    func data() throws -> Data {
        let archiver = Foundation.NSKeyedArchiver(requiringSecureCoding: false)
        archiver.encode(record, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        // Each object of the archive has a class of its own in the table; the name is that of its layout.
        let plist = try PropertyListSerialization.propertyList(from: archiver.encodedData, options: [], format: nil)
        guard var table = plist as? [String: Any], var objects = table["$objects"] as? [Any] else { return Data() }
        for index in objects.indices {
            guard var entry = objects[index] as? [String: Any], let name = entry["$classname"] as? String,
                let layout = Layout.names.first(where: { name.hasSuffix($0.key) })
            else { continue }
            entry["$classname"] = layout.value
            entry["$classes"] = [layout.value, "NSObject"]
            objects[index] = entry
        }
        table["$objects"] = objects
        return try PropertyListSerialization.data(fromPropertyList: table, format: .binary, options: 0)
    }
}

/// An object with given keys. Subclasses stand for Apple's classes.
class Layout: NSObject, NSCoding {
    static let names = [
        "RecordLayout": "CKRecord", "RecordIDLayout": "CKRecordID", "ZoneIDLayout": "CKRecordZoneID",
        "StoreLayout": "CKRecordValueStore", "EncryptedLayout": "CKEncryptedRecordValueStore",
    ]
    private static let classes: [String: Layout.Type] = [
        "CKRecord": RecordLayout.self, "CKRecordID": RecordIDLayout.self, "CKRecordZoneID": ZoneIDLayout.self,
        "CKRecordValueStore": StoreLayout.self, "CKEncryptedRecordValueStore": EncryptedLayout.self,
    ]
    private let name: String
    private let keys: [String: NSObject?]

    init(_ name: String, _ keys: [String: NSObject?]) {
        (self.name, self.keys) = (name, keys)
        super.init()
    }

    required init?(coder: NSCoder) { nil }

    override var classForCoder: AnyClass { Self.classes[name] ?? Layout.self }

    func encode(with coder: NSCoder) {
        for (key, value) in keys {
            if let number = value as? NSNumber, key.hasPrefix("Has") || key == "KnownToServer" {
                coder.encode(number.boolValue, forKey: key)
            } else {
                coder.encode(value, forKey: key)
            }
        }
    }
}

final class RecordLayout: Layout {}
final class RecordIDLayout: Layout {}
final class ZoneIDLayout: Layout {}
final class StoreLayout: Layout {}
final class EncryptedLayout: Layout {}
