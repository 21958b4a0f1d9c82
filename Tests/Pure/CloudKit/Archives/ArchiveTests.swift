import CloudKit
import Testing

@Suite struct ArchiveTests {
    private static func record() throws -> CKRecord {
        let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
        record["title"] = "Milk"
        record["count"] = 3
        record["tags"] = ["x", "y"]
        record["place"] = CLLocation(latitude: 1, longitude: 2)
        record.setParent(CKRecord.ID(recordName: "list", zoneID: zone))
        return record
    }

    @Test func aRecordIsReadBack() throws {
        let record = try Self.record()
        let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        #expect(copy == record)
        #expect(copy["title"] as? String == "Milk")
        #expect(copy["count"] as? Int == 3)
        #expect(copy["tags"] as? [String] == ["x", "y"])
        #expect((copy["place"] as? CLLocation)?.coordinate.longitude == 2)
        #expect(copy.parent?.recordID.recordName == "list")
        #expect(Set(copy.changedKeys()) == ["title", "count", "tags", "place"])
    }

    @Test func systemFieldsAreReadBackWithoutFields() throws {
        let record = try Self.record()
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let copy = try #require(CKRecord(coder: unarchiver))
        #expect(copy.recordID == record.recordID)
        #expect(copy.recordType == "Note")
        #expect(copy.allKeys().isEmpty && copy.changedKeys().isEmpty)
        #expect(copy.parent?.recordID.recordName == "list")
    }

    @Test func archivesHaveTheNamesOfApplesClasses() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Self.record(), requiringSecureCoding: true)
        let plist = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        let objects = try #require((plist as? [String: Any])?["$objects"] as? [Any])
        let names = Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
        #expect(names.isSuperset(of: ["CKRecord", "CKRecordID", "CKRecordZoneID", "CKReference", "CLLocation"]))
        #expect(!names.contains { $0.contains(".") })
    }

    @Test func anArchiveWithAnotherClassIsAnError() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Self.record(), requiringSecureCoding: true)
        #expect(throws: CocoaError.self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
        }
        // The archive contains an ID, but not as its root.
        #expect(throws: CocoaError.self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.ID.self, from: data)
        }
        #expect(throws: CocoaError.self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: Data([1, 2, 3]))
        }
    }

    /// The layout of a record that Apple's framework has archived: keys that this library does not know, and null
    /// references.
    @Test func aRecordInApplesLayoutIsRead() throws {
        let data = try AppleArchive.person.data()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        let record = try #require(
            unarchiver.decodeObject(of: CKRecord.self, forKey: NSKeyedArchiveRootObjectKey))
        #expect(record.recordType == "Person")
        #expect(record.recordID.recordName == "P-1")
        #expect(record.recordID.zoneID == .default)
        #expect(record.recordChangeTag == "jh3g")
        #expect(record.creationDate == Date(timeIntervalSinceReferenceDate: 5))
        #expect(record["name"] as? String == "Ada")
        #expect(record["age"] as? Int == 26)
        #expect(record.share == nil && record.parent == nil)
        #expect(record.changedKeys().isEmpty)
    }
}
