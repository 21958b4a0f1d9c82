import CloudKit
import Testing

@Suite struct CKRecordTests {
    @Test func valuesAreReadAsEveryTypeThatRepresentsThem() {
        let record = CKRecord(recordType: "Note")
        record["title"] = "Milk"
        record["count"] = 3
        record["price"] = 1.5
        record["done"] = true
        record["tags"] = ["a", "b"]
        record["numbers"] = [1, 2]
        record["empty"] = [String]()
        record["when"] = Date(timeIntervalSince1970: 1)
        record["bytes"] = Data([1, 2])
        record["place"] = CLLocation(latitude: 1, longitude: 2)
        #expect(record["title"] as? String == "Milk")
        #expect((record["title"] as? NSString)?.length == 4)
        #expect(record["count"] as? Int == 3)
        #expect(record["count"] as? Int64 == 3)
        #expect(record["count"] as? NSNumber == 3)
        #expect(record["price"] as? Double == 1.5)
        #expect(record["done"] as? Bool == true)
        #expect(record["tags"] as? [String] == ["a", "b"])
        #expect(record["numbers"] as? [Int] == [1, 2])
        #expect(record["empty"] as? [String] == [])
        #expect(record["when"] as? Date == Date(timeIntervalSince1970: 1))
        #expect(record["bytes"] as? Data == Data([1, 2]))
        #expect((record["place"] as? CLLocation)?.coordinate.latitude == 1)
        let title: String? = record["title"]
        let count: Int? = record["count"]
        #expect(title == "Milk" && count == 3)
        #expect(record["missing"] == nil as String?)
        #expect(Set(record.allKeys()) == Set(record.changedKeys()))
    }

    @Test func foundationsValuesAreReadAsSwifts() {
        let record = CKRecord(recordType: "Note")
        record["text"] = "a" as NSString as CKRecordValue
        record.setObject(NSNumber(value: 7), forKey: "number")
        record["list"] = NSArray(array: ["x", "y"])
        #expect(record["text"] as? String == "a")
        #expect(record["number"] as? Int == 7)
        #expect(record["list"] as? [String] == ["x", "y"])
    }

    @Test func aKeyThatWasNeverSavedAndIsRemovedHasNotChanged() {
        let record = CKRecord(recordType: "Note")
        record["a"] = 1
        record["b"] = 2
        record["a"] = nil
        #expect(record.changedKeys() == ["b"])
        #expect(record.allKeys() == ["b"])
    }

    @Test func theIterationContainsEveryField() {
        let record = CKRecord(recordType: "Note")
        record["a"] = "1"
        record["b"] = "2"
        var seen: [String: String] = [:]
        for (key, value) in record { seen[key] = value as? String }
        #expect(seen == ["a": "1", "b": "2"])
    }

    @Test func tokensAreTheWordsOfAllTexts() {
        let record = CKRecord(recordType: "Note")
        record["a"] = "Two  Words"
        record["b"] = ["words", "More"]
        record["c"] = 5
        #expect(Set(record.allTokens()) == ["two", "words", "more"])
    }

    @Test func recordsAreEqualByIDTypeAndTag() {
        let id = CKRecord.ID(recordName: "a")
        let (one, two) = (CKRecord(recordType: "Note", recordID: id), CKRecord(recordType: "Note", recordID: id))
        one["x"] = 1
        #expect(one == two)
        #expect(one != CKRecord(recordType: "Other", recordID: id))
        #expect(Set([one, two]).count == 1)
    }

    @Test func aCopyDoesNotChangeWithTheRecord() throws {
        let record = CKRecord(recordType: "Note")
        record["a"] = 1
        let copy = try #require(record.copy() as? CKRecord)
        record["a"] = 2
        #expect(copy["a"] as? Int == 1)
        #expect(copy.recordID == record.recordID)
    }

    @Test func encryptedValuesAreKeptApart() {
        let record = CKRecord(recordType: "Note")
        record.encryptedValues["secret"] = "x"
        #expect(record.allKeys().isEmpty)
        #expect(record.encryptedValues["secret"] as? String == "x")
        #expect(record.encryptedValues.changedKeys() == ["secret"])
    }

    @Test func theParentIsAReferenceWithoutAction() {
        let (parent, child) = (CKRecord(recordType: "List"), CKRecord(recordType: "Item"))
        child.setParent(parent)
        #expect(child.parent?.recordID == parent.recordID)
        #expect(child.parent?.action == CKRecord.ReferenceAction.none)
        child.setParent(nil as CKRecord?)
        #expect(child.parent == nil)
    }

    @Test func anAssetWhoseFileIsGoneHasNoURL() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data([1]).write(to: file)
        let asset = CKAsset(fileURL: file)
        #expect(asset.fileURL == file)
        try FileManager.default.removeItem(at: file)
        #expect(asset.fileURL == nil)
    }
}
