import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

/// The files of assets are uploaded before a save, and downloaded after a fetch.
@Suite struct AssetOperationTests {
    private let gone = URL(fileURLWithPath: "/gone")

    private func transfers() -> AssetTransfers {
        AssetTransfers(
            upload: { uploads, _, progress in
                for index in uploads.indices {
                    progress(index, 0.5)
                    progress(index, 1)
                }
                return uploads.map { upload in
                    guard upload.file.path != "/gone" else { return .failure(CKError(.assetFileNotFound)) }
                    return .success(Asset(fileChecksum: "c", size: 1, receipt: "receipt of \(upload.fieldName)"))
                }
            },
            download: { asset throws(CKError) in
                guard asset.downloadURL != "http://gone" else { throw CKError(.assetNotAvailable) }
                return URL(fileURLWithPath: "/dev/null")
            })
    }

    private func note(_ name: String, _ files: [String: URL]) -> CKRecord {
        let record = CKRecord.note(name, zone: "Z")
        for (key, file) in files { record[key] = CKAsset(fileURL: file) }
        return record
    }

    @Test func uploadsPrecedeTheSave() async {
        let log = EventLog()
        let operation = CKModifyRecordsOperation(recordsToSave: [
            note("a", ["photo": URL(fileURLWithPath: "/a"), "sound": URL(fileURLWithPath: "/b")]), note("b", [:]),
        ])
        let server = FakeServer(.private, FakeServer.saves)
        server.serve(operation, assets: transfers())
        operation.perRecordProgressBlock = { log.add("\($0.recordID.recordName) \($1)") }
        operation.perRecordSaveBlock = { log.add("\($0.recordName) \($1.outcome)") }
        await operation.run()
        #expect(log.all == ["a 0.25", "a 0.5", "a 0.75", "a 0.99", "a 1.0", "a ok", "b 1.0", "b ok"])
        let fields = server.requests.first?.body["operations"]?[0]?["record"]?["fields"]
        #expect(fields?["photo"]?["value"]?["receipt"] == "receipt of photo")
        #expect(fields?["sound"]?["value"]?["receipt"] == "receipt of sound")
    }

    @Test func aFileThatIsMissing() async {
        let log = EventLog()
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a", ["photo": gone]), note("b", [:])])
        let server = FakeServer(.private, FakeServer.saves)
        server.serve(operation, assets: transfers())
        operation.perRecordSaveBlock = { log.add("\($0.recordName) \($1.outcome)") }
        await operation.run()
        #expect(log.all == ["a assetFileNotFound", "b batchRequestFailed"])
        #expect(server.requests.isEmpty)
    }

    private static func record(_ name: String, photo: String) -> JSONValue {
        guard case .object(var members) = FakeServer.record(name) else { return nil }
        members.removeAll { $0.key == "fields" }
        members.append(
            JSONValue.Member(
                "fields",
                [
                    "photo": [
                        "value": ["fileChecksum": "c", "size": 1, "downloadURL": .string(photo)], "type": "ASSETID",
                    ]
                ]))
        return .object(members)
    }

    @Test func downloadsFollowTheFetch() async {
        let log = EventLog()
        let answer: JSONValue = [
            "records": [Self.record("a", photo: "http://x"), Self.record("b", photo: "http://gone")]
        ]
        let fetch = CKFetchRecordsOperation(
            recordIDs: [CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b")])
        let query = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        let server = FakeServer(.private) { _, _ in answer }
        server.serve(fetch, assets: transfers())
        server.serve(query, assets: transfers())
        @Sendable func add(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
            let file = ((try? result.get())?["photo"] as? CKAsset)?.fileURL?.path ?? ""
            log.add("\(id.recordName) \(result.outcome) \(file)")
        }
        fetch.perRecordResultBlock = add
        query.recordMatchedBlock = add
        await fetch.run()
        await query.run()
        let expected = ["a ok /dev/null", "b assetNotAvailable "]
        #expect(log.all == expected + expected)
    }
}
