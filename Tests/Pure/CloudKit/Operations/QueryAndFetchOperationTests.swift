import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct CKQueryOperationTests {
    private func logged(_ operation: CKQueryOperation, _ server: FakeServer) -> EventLog {
        let log = EventLog()
        server.serve(operation)
        operation.recordMatchedBlock = { log.add("\($0.recordName) \($1.outcome)") }
        operation.recordFetchedBlock = { log.add("former \($0.recordID.recordName)") }
        operation.queryCompletionBlock = { log.add("completion \($0?.marker ?? "none") \($1 == nil)") }
        operation.queryResultBlock = { log.add("result \($0.outcome)") }
        return log
    }

    private let notes = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > 5"))

    @Test func pagesContinueAtTheirCursor() async throws {
        let first = CKQueryOperation(query: notes)
        first.zoneID = CKRecordZone.ID(zoneName: "Notes")
        first.resultsLimit = 2
        first.desiredKeys = ["title"]
        let server = FakeServer(
            .private,
            { _, _ in
                ["records": [FakeServer.record("a"), FakeServer.record("b")], "continuationMarker": "bWFya2Vy"]
            }, { _, _ in ["records": []] })
        let log = logged(first, server)
        let cursor = Locked<CKQueryOperation.Cursor?>(nil)
        first.queryResultBlock = { result in
            log.add("result \(result.outcome)")
            cursor.withLock { $0 = try? result.get() }
        }
        await first.run()
        #expect(log.all == ["a ok", "former a", "b ok", "former b", "completion bWFya2Vy true", "result ok"])

        let second = CKQueryOperation(cursor: try #require(cursor.copy))
        let further = logged(second, server)
        await second.run()
        #expect(further.all == ["completion none true", "result ok"])
        let bodies = server.requests.map(\.body)
        #expect(bodies[0]["query"] == bodies[1]["query"])
        #expect(bodies[0]["zoneID"] == ["zoneName": "Notes"])
        #expect(bodies[1]["zoneID"] == ["zoneName": "Notes"])
        #expect(bodies[0]["resultsLimit"] == 2)
        #expect(bodies[0]["desiredKeys"] == ["title"])
        #expect(bodies[1]["continuationMarker"] == "bWFya2Vy")
    }

    @Test(arguments: [(DatabaseScope.private, true), (.public, false)])
    func withoutAZone(scope: DatabaseScope, zoneWide: Bool) async {
        let operation = CKQueryOperation(query: notes)
        let server = FakeServer(scope) { _, _ in ["records": []] }
        _ = logged(operation, server)
        await operation.run()
        #expect((server.requests[0].body["zoneWide"]?.bool ?? false) == zoneWide)
        #expect(server.requests[0].body["zoneID"] == nil)
    }

    @Test func unusableQueries() async {
        let server = FakeServer(.shared) { _, _ in ["records": []] }
        let malformed = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n >"))
        for operation in [CKQueryOperation(), CKQueryOperation(query: malformed), CKQueryOperation(query: notes)] {
            let log = logged(operation, server)
            await operation.run()
            #expect(log.all == ["completion none false", "result invalidArguments"])
        }
        #expect(server.requests.isEmpty)
    }
}

@Suite struct CKFetchRecordsOperationTests {
    @Test func resultsAreGivenForEachRecord() async {
        let log = EventLog()
        let other = CKRecord.ID(recordName: "c", zoneID: CKRecordZone.ID(zoneName: "Gone"))
        let operation = CKFetchRecordsOperation(
            recordIDs: [
                CKRecord.ID(recordName: "a"), other, CKRecord.ID(recordName: "b"), CKRecord.ID(recordName: "a"),
            ])
        operation.desiredKeys = []
        let server = FakeServer(
            .private, { _, _ in ["records": [FakeServer.record("a"), FakeServer.fault(.unknownItem)]] },
            { _, _ in throw CKError(.zoneNotFound) })
        server.serve(operation)
        operation.perRecordResultBlock = { log.add("\($0.recordName) \($1.outcome)") }
        operation.perRecordProgressBlock = { log.add("progress \($0.recordName) \($1)") }
        operation.fetchRecordsCompletionBlock = { records, error in
            log.add("completion \(records?.count ?? 0) \((error as? CKError)?.partialErrorsByItemID?.count ?? 0)")
        }
        operation.fetchRecordsResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(
            log.all == [
                "progress a 1.0", "a ok", "b unknownItem", "c zoneNotFound", "completion 1 2", "result ok",
            ])
        #expect(server.requests[0].body["desiredKeys"] == [])
        #expect(server.requests[0].body["records"] == [["recordName": "a"], ["recordName": "b"]])
    }

    /// The constant stands for the user's own record name, and the results are given for the ID that was asked for.
    @Test func theCurrentUserByTheConstant() async {
        let log = EventLog()
        let operation = CKFetchRecordsOperation(
            recordIDs: [CKRecord.ID(recordName: CKCurrentUserDefaultName), CKRecord.ID(recordName: "a")])
        let server = FakeServer(
            .private, { _, _ in ["userRecordName": "_me"] },
            { _, _ in ["records": [FakeServer.record("_me"), FakeServer.record("a")]] })
        server.serve(operation)
        operation.perRecordResultBlock = { id, result in
            log.add("\(id.recordName) \((try? result.get())?.recordID.recordName ?? "")")
        }
        await operation.run()
        #expect(log.all == ["__defaultOwner__ _me", "a a"])
        #expect(server.requests[1].body["records"]?[0] == ["recordName": "_me"])
    }

    @Test func theCurrentUser() async {
        let log = EventLog()
        let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
        let server = FakeServer(
            .private, { _, _ in ["userRecordName": "_me"] }, { _, _ in ["records": [FakeServer.record("_me")]] })
        server.serve(operation)
        operation.perRecordResultBlock = { log.add("\($0.recordName) \($1.outcome)") }
        await operation.run()
        #expect(log.all == ["_me ok"])
        #expect(server.requests.map(\.action) == ["users/caller", "records/lookup"])
    }
}
