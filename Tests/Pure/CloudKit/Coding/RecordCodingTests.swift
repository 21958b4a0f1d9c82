import CloudKitModel
import CloudKitWire
import Testing

@testable import CloudKit

@Suite struct RecordCodingTests {
    private let zone = CKRecordZone.ID(zoneName: "Notes")
    private let database = WebDatabase(.private, shareLinks: URL(string: "https://zonda.example.org/share")) {
        _ throws(CKError) in throw CKError(.internalError)
    }

    private func saved(
        _ record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged
    ) throws -> JSONValue { try JSONValue(parsing: RecordCoding.operation(saving: record, policy, [:])) }

    private func fetched(_ fields: String = "{}", more: String = "") throws -> CKRecord {
        let json = """
            {"recordName":"a","recordType":"Note","recordChangeTag":"t1","fields":\(fields),"zoneID":{"zoneName":"Notes",
            "ownerRecordName":"_me"},"created":{"timestamp":1000,"userRecordName":"_me","deviceID":"1"},
            "modified":{"timestamp":2000,"userRecordName":"_me","deviceID":"1"}\(more)}
            """
        return try RecordCoding.record(from: try JSONValue(parsing: json), in: database)
    }

    @Test func everyTypeOfValueIsReadAndWritten() throws {
        let record = try fetched(
            """
            {"s":{"value":"x","type":"STRING"},"i":{"value":9007199254740993,"type":"INT64"},
            "d":{"value":1,"type":"DOUBLE"},"t":{"value":-1,"type":"TIMESTAMP"},"b":{"value":"AQI=","type":"BYTES"},
            "l":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"},
            "r":{"value":{"recordName":"p","action":"DELETE_SELF"},"type":"REFERENCE"},
            "sl":{"value":["x","y"],"type":"STRING_LIST"},"el":{"value":[],"type":"INT64_LIST"}}
            """)
        #expect(record["s"] as? String == "x")
        #expect(record["i"] as? Int == 9_007_199_254_740_993)
        #expect(record["d"] as? Double == 1)
        #expect(record["t"] as? Date == Date(timeIntervalSince1970: -0.001))
        #expect(record["b"] as? Data == Data([1, 2]))
        #expect((record["l"] as? CLLocation)?.coordinate.longitude == 2)
        let reference = try #require(record["r"] as? CKRecord.Reference)
        #expect(reference.action == .deleteSelf && reference.recordID == CKRecord.ID(recordName: "p", zoneID: zone))
        #expect(record["sl"] as? [String] == ["x", "y"])
        #expect(record["el"] as? [Int] == [])
        #expect(record.changedKeys().isEmpty && record.recordChangeTag == "t1")
        #expect(record.creationDate == Date(timeIntervalSince1970: 1))
        let fields = try saved(record, .allKeys)["record"]?["fields"]
        #expect(fields?["i"]?["value"]?.int == 9_007_199_254_740_993)
        #expect(fields?["d"]?["type"]?.string == "DOUBLE")
        #expect(fields?["t"]?["value"]?.int == -1)
        #expect(fields?["r"]?["value"]?["action"]?.string == "DELETE_SELF")
        #expect(fields?["sl"]?["type"]?.string == "STRING_LIST")
    }

    @Test func aSaveContainsTheChangedFieldsAndTheTag() throws {
        let record = try fetched(#"{"s":{"value":"x","type":"STRING"},"i":{"value":1,"type":"INT64"}}"#)
        record["i"] = 2
        record["s"] = nil
        let operation = try saved(record)
        #expect(operation["operationType"]?.string == "update")
        #expect(operation["record"]?["recordChangeTag"]?.string == "t1")
        #expect(operation["record"]?["fields"]?.members?.map(\.key) == ["i", "s"])
        #expect(operation["record"]?["fields"]?["s"]?["value"]?.isNull == true)
        #expect(try saved(record, .changedKeys)["operationType"]?.string == "forceUpdate")
        #expect(try saved(CKRecord(recordType: "Note"))["operationType"]?.string == "create")
    }

    @Test func whatChangesDuringASaveIsStillToBeSaved() throws {
        let record = try fetched()
        record["a"] = 1
        record["b"] = 1
        _ = try RecordCoding.operation(saving: record, .ifServerRecordUnchanged, [:])
        record["b"] = 2
        record.setParent(CKRecord.ID(recordName: "list", zoneID: zone))
        let answer = #"{"recordName":"a","recordType":"Note","recordChangeTag":"t2"}"#
        try RecordCoding.adopt(try JSONValue(parsing: answer), into: record, in: database)
        #expect(record.recordChangeTag == "t2")
        #expect(record.changedKeys() == ["b"])
        #expect(try saved(record)["record"]?["parent"]?["recordName"]?.string == "list")
    }

    @Test func aFieldIsRemovedThatTheClientHasNotFetched() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        try fetched(#"{"s":{"value":"x","type":"STRING"}}"#).encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let record = try #require(CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)))
        record["s"] = nil
        #expect(record.changedKeys() == ["s"])
        #expect(try saved(record)["record"]?["fields"]?["s"]?["value"]?.isNull == true)
    }

    @Test func aDateOutOfRangeCannotBeSaved() throws {
        let record = CKRecord(recordType: "Note")
        record["when"] = Date(timeIntervalSince1970: .infinity)
        #expect(throws: CKError.self) { try RecordCoding.operation(saving: record, .allKeys, [:]) }
    }

    @Test func aLocationThatIsNotFiniteCannotBeSaved() throws {
        let record = CKRecord(recordType: "Note")
        record["where"] = CLLocation(latitude: .nan, longitude: 0)
        #expect(throws: CKError.self) { try RecordCoding.operation(saving: record, .allKeys, [:]) }
    }

    @Test func aConflictContainsTheThreeRecords() throws {
        let record = try fetched(#"{"s":{"value":"old","type":"STRING"}}"#)
        record["s"] = "mine"
        let json = """
            {"serverErrorCode":"CONFLICT","recordName":"a","serverRecord":{"recordName":"a","recordType":"Note",
            "recordChangeTag":"t2","fields":{"s":{"value":"theirs","type":"STRING"}}}}
            """
        let fault = try #require(ServerFault(try JSONValue(parsing: json)))
        let error = RecordCoding.error(fault, saving: record, in: database)
        #expect(error.code == .serverRecordChanged)
        #expect(error.clientRecord === record)
        #expect(error.serverRecord?["s"] as? String == "theirs")
        #expect(error.serverRecord?.recordID == record.recordID)
        #expect(error.ancestorRecord?["s"] as? String == "old")
        #expect(error.ancestorRecord?.changedKeys().isEmpty == true)
    }

    @Test func aListOfDifferentTypesCannotBeSaved() throws {
        let record = CKRecord(recordType: "Note")
        record["list"] = NSArray(array: ["a", NSNumber(value: 1)])
        #expect(throws: CKError.self) { try RecordCoding.operation(saving: record, .allKeys, [:]) }
    }

    @Test func anAssetBelongsToOneRecord() throws {
        let asset = CKAsset(fileURL: URL(fileURLWithPath: "/nonexistent"))
        let (one, two) = (CKRecord(recordType: "Note"), CKRecord(recordType: "Note"))
        one["file"] = asset
        two["file"] = asset
        do {
            _ = try RecordCoding.operation(saving: two, .ifServerRecordUnchanged, [AssetPlace(key: "file"): .init()])
            Issue.record("the asset of another record was accepted")
        } catch {
            #expect(error.code == .invalidArguments)
        }
    }

    @Test func aShareNamesItsRootAndItsParticipants() throws {
        let root = try fetched()
        let share = CKShare(rootRecord: root)
        share[CKShare.SystemFieldKey.title] = "List"
        let user = CKUserIdentity(lookupInfo: .init(emailAddress: "ada@example.org"))
        let participant = CKShare.Participant(inviting: user)
        participant.permission = .readWrite
        share.addParticipant(participant)
        let record = try saved(share)["record"]
        #expect(record?["recordType"]?.string == "cloudkit.share")
        #expect(record?["forRecord"]?["recordName"]?.string == "a")
        #expect(record?["forRecord"]?["recordChangeTag"]?.string == "t1")
        #expect(record?["publicPermission"]?.string == "NONE")
        let invited = record?["participants"]?.array
        #expect(invited?.count == 1)
        #expect(invited?.first?["permission"]?.string == "READ_WRITE")
        #expect(invited?.first?["userIdentity"]?["lookupInfo"]?["emailAddress"]?.string == "ada@example.org")
        #expect(root.share?.recordID == share.recordID)
    }

    @Test func aFetchedShareHasALinkAndItsParticipants() throws {
        let json = """
            {"recordName":"S","recordType":"cloudkit.share","recordChangeTag":"1","fields":{},"publicPermission":"READ_ONLY",
            "participants":[{"participantId":"A","type":"OWNER","permission":"READ_WRITE","acceptanceStatus":"ACCEPTED",
            "userIdentity":{"userRecordName":"_1"}},{"participantId":"B","type":"USER","permission":"READ_ONLY",
            "acceptanceStatus":"INVITED","userIdentity":{"lookupInfo":{"emailAddress":"b@example.org"}}}],
            "shortGUID":"0abc"}
            """
        let record = try RecordCoding.record(from: try JSONValue(parsing: json), in: database, zoneID: zone)
        let share = try #require(record as? CKShare)
        #expect(share.url?.absoluteString == "https://zonda.example.org/share/0abc")
        #expect(share.publicPermission == .readOnly)
        #expect(share.owner.participantID == "A")
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        #expect(share.participants.last?.userIdentity.lookupInfo?.emailAddress == "b@example.org")
    }
}
