import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct CKModifyRecordsOperationTests {
    private func logged(_ operation: CKModifyRecordsOperation, _ server: FakeServer) -> EventLog {
        let log = EventLog()
        server.serve(operation)
        operation.perRecordProgressBlock = { log.add("progress \($0.recordID.recordName) \($1)") }
        operation.perRecordSaveBlock = { log.add("save \($0.recordName) \($1.outcome)") }
        operation.perRecordDeleteBlock = { log.add("delete \($0.recordName) \($1.outcome)") }
        operation.perRecordCompletionBlock = { log.add("former \($0.recordID.recordName) \($1 == nil)") }
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            let names = (saved ?? []).map(\.recordID.recordName) + (deleted ?? []).map(\.recordName)
            log.add("completion \(names.joined(separator: ",")) \((error as? CKError).map { "\($0.code)" } ?? "ok")")
        }
        operation.modifyRecordsResultBlock = { log.add("result \($0.outcome)") }
        return log
    }

    @Test func callbacksComeInOrder() async {
        let record = CKRecord.note("a")
        let operation = CKModifyRecordsOperation(
            recordsToSave: [record], recordIDsToDelete: [CKRecord.ID(recordName: "b")])
        let server = FakeServer(.private, FakeServer.saves)
        let log = logged(operation, server)
        await operation.run()
        #expect(
            log.all == [
                "progress a 1.0", "save a ok", "former a true", "delete b ok", "completion a,b ok", "result ok",
            ])
        #expect(record.recordChangeTag == "2")
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.body["operations"]?[1]?["operationType"] == "forceDelete")
    }

    @Test func nothingToDo() async {
        let operation = CKModifyRecordsOperation()
        let server = FakeServer(.private, FakeServer.saves)
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all == ["completion  ok", "result ok"])
        #expect(server.requests.isEmpty)
    }

    /// The older function gets a partial failure, the newer one a success.
    @Test func partialFailure() async throws {
        let operation = CKModifyRecordsOperation(recordsToSave: [.note("a"), .note("b")])
        let server = FakeServer(.private) { _, _ in
            ["records": [FakeServer.record("a"), FakeServer.fault(.unknownItem)]]
        }
        let log = logged(operation, server)
        let errors = Locked<[AnyHashable: any Error]?>(nil)
        operation.modifyRecordsCompletionBlock = { _, _, error in
            errors.withLock { $0 = (error as? CKError)?.partialErrorsByItemID }
            log.add("completion \((error as? CKError)?.code as Any)")
        }
        await operation.run()
        #expect(log.all.suffix(2) == ["completion Optional(CloudKit.CKError.Code.partialFailure)", "result ok"])
        #expect(errors.copy?.count == 1)
        let error = try #require(errors.copy?[CKRecord.ID(recordName: "b")] as? CKError)
        #expect(error.code == .unknownItem)
    }

    @Test func anAtomicFailure() async {
        let operation = CKModifyRecordsOperation(recordsToSave: [.note("a", zone: "Z"), .note("b", zone: "Z")])
        let server = FakeServer(.private) { _, body in
            #expect(body["atomic"] == true)
            return ["records": [FakeServer.fault(.serverRecordChanged), FakeServer.fault(.batchRequestFailed)]]
        }
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all.filter { $0.hasPrefix("save") } == ["save a serverRecordChanged", "save b batchRequestFailed"])
        #expect(log.all.contains("completion  partialFailure"))
    }

    /// A record that cannot be sent at all fails like one that the server refuses.
    @Test func anUnsendableRecord() async {
        let bad = CKRecord.note("bad", zone: "Z")
        bad["list"] = NSArray(array: ["text", NSNumber(value: 1)])
        let operation = CKModifyRecordsOperation(recordsToSave: [bad, .note("b", zone: "Z"), .note("c")])
        let server = FakeServer(.private, FakeServer.saves)
        let log = logged(operation, server)
        await operation.run()
        #expect(
            log.all.filter { $0.hasPrefix("save") } == [
                "save bad invalidArguments", "save b batchRequestFailed", "save c ok",
            ])
        #expect(server.requests.count == 1)
    }

    @Test func zonesAreSentSeparately() async {
        let operation = CKModifyRecordsOperation(
            recordsToSave: [.note("a", zone: "X"), .note("b", zone: "Y"), .note("c", zone: "X"), .note("d")])
        let server = FakeServer(
            .private, FakeServer.saves, { _, _ in throw CKError(.zoneNotFound) }, FakeServer.saves)
        let log = logged(operation, server)
        await operation.run()
        #expect(server.requests.map { $0.body["zoneID"]?["zoneName"] } == ["X", "Y", "_defaultZone"])
        #expect(server.requests.map { $0.body["atomic"] } == [true, true, false])
        #expect(
            log.all.filter { $0.hasPrefix("save") } == [
                "save a ok", "save c ok", "save b zoneNotFound", "save d ok",
            ])
        #expect(log.all.suffix(2) == ["completion a,c,d partialFailure", "result ok"])
    }

    @Test func anErrorOfTheWholeRequestEndsTheOperation() async {
        let operation = CKModifyRecordsOperation(recordsToSave: [.note("a", zone: "X"), .note("b", zone: "Y")])
        let server = FakeServer(.private, FakeServer.saves, { _, _ in throw CKError(.serverResponseLost) })
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all.filter { $0.hasPrefix("save") } == ["save a ok"])
        #expect(log.all.suffix(2) == ["completion a serverResponseLost", "result serverResponseLost"])
    }

    @Test func largeBatchesAreSplitUnlessTheyAreAtomic() async {
        for (zone, isAtomic, requests) in [("_defaultZone", true, 3), ("Z", false, 3), ("Z", true, 1)] {
            let operation = CKModifyRecordsOperation(
                recordsToSave: (0..<4_100).map { CKRecord.note("r\($0)", zone: zone) })
            operation.isAtomic = isAtomic
            let server = FakeServer(.private, FakeServer.saves)
            let log = logged(operation, server)
            await operation.run()
            #expect(server.requests.count == requests)
            #expect(log.all.filter { $0.hasPrefix("save") }.count == 4_100)
            #expect(Set(server.idempotencyKeys).count == requests)
        }
    }

    @Test func bytesAreLimitedToo() async {
        let records = (0..<5).map { CKRecord.note("r\($0)") }
        for record in records { record["title"] = String(repeating: "x", count: 4 << 20) }
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        let server = FakeServer(.private, FakeServer.saves)
        _ = logged(operation, server)
        await operation.run()
        #expect(server.requests.map { $0.body["operations"]?.array?.count } == [2, 2, 1])
    }

    @Test func theSameRecordTwice() async {
        let operation = CKModifyRecordsOperation(
            recordsToSave: [.note("a")], recordIDsToDelete: [CKRecord.ID(recordName: "a")])
        let log = logged(operation, FakeServer(.private, FakeServer.saves))
        await operation.run()
        #expect(log.all.last == "result invalidArguments")
    }

    /// The same token with the same records names the same request, so that the server executes it once.
    @Test func theApplicationsTokenNamesTheRequest() async {
        let server = FakeServer(.private, FakeServer.saves)
        for name in ["a", "a", "b"] {
            let operation = CKModifyRecordsOperation(recordsToSave: [.note(name)])
            operation.clientChangeTokenData = Data([1])
            server.serve(operation)
            await operation.run()
        }
        let keys = server.idempotencyKeys
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    @Test func anAnswerThatWasTooLargeIsLookedUp() async {
        let operation = CKModifyRecordsOperation(recordsToSave: [.note("a")])
        let server = FakeServer(
            .private, { _, _ in ["answerOmitted": true] }, { _, _ in ["records": [FakeServer.record("a", tag: "9")]] })
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all.contains("save a ok"))
        #expect(operation.recordsToSave?.first?.recordChangeTag == "9")
        #expect(server.requests.map(\.action) == ["records/modify", "records/lookup"])
    }

    @Test func anAnswerThatLacksItems() async {
        let operation = CKModifyRecordsOperation(recordsToSave: [.note("a"), .note("b")])
        let log = logged(operation, FakeServer(.private) { _, _ in ["records": [FakeServer.record("a")]] })
        await operation.run()
        #expect(log.all == ["completion  internalError", "result internalError"])
    }
}
