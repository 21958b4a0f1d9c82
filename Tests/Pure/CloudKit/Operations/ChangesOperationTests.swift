import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct CKFetchRecordZoneChangesOperationTests {
    private static func page(_ zone: String, _ token: String, more: Bool = false, _ records: JSONValue...) -> JSONValue
    {
        [
            "zoneID": ["zoneName": .string(zone), "zoneType": "REGULAR_CUSTOM_ZONE"], "syncToken": .string(token),
            "moreComing": .bool(more), "records": .array(records),
        ]
    }

    private static func deleted(_ name: String) -> JSONValue {
        ["recordName": .string(name), "deleted": true, "deletedRecordType": "Note"]
    }

    private func logged(_ operation: CKFetchRecordZoneChangesOperation, _ server: FakeServer) -> EventLog {
        let log = EventLog()
        server.serve(operation)
        operation.recordWasChangedBlock = { log.add("changed \($0.recordName) \($1.outcome)") }
        operation.recordWithIDWasDeletedBlock = { log.add("deleted \($0.recordName) \($1)") }
        operation.recordZoneChangeTokensUpdatedBlock = { id, token, _ in
            log.add("token \(id.zoneName) \(token?.syncToken ?? "")")
        }
        operation.recordZoneFetchResultBlock = { id, result in
            let page = try? result.get()
            let token = page?.serverChangeToken.syncToken ?? ""
            log.add("zone \(id.zoneName) \(result.outcome) \(token) \(page?.moreComing ?? false)")
        }
        operation.fetchRecordZoneChangesCompletionBlock = { error in
            log.add("completion \((error as? CKError).map { "\($0.code)" } ?? "ok")")
        }
        operation.fetchRecordZoneChangesResultBlock = { log.add("result \($0.outcome)") }
        return log
    }

    @Test func allPagesOfAllZones() async {
        let x = CKRecordZone.ID(zoneName: "X")
        let y = CKRecordZone.ID(zoneName: "Y")
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [x, y],
            configurationsByRecordZoneID: [
                y: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
                    previousServerChangeToken: CKServerChangeToken("y0"), resultsLimit: 5, desiredKeys: ["title"])
            ])
        let server = FakeServer(
            .private,
            { _, _ in
                [
                    "zones": [
                        Self.page("X", "x1", more: true, FakeServer.record("a", zone: "X")),
                        Self.page("Y", "y1", Self.deleted("d")),
                    ]
                ]
            }, { _, _ in ["zones": [Self.page("X", "x2", FakeServer.record("b", zone: "X"))]] })
        let log = logged(operation, server)
        await operation.run()
        #expect(
            log.all == [
                "changed a ok", "token X x1", "changed b ok", "zone X ok x2 false", "deleted d Note",
                "zone Y ok y1 false", "completion ok", "result ok",
            ])
        let zones = server.requests[0].body["zones"]
        #expect(zones?[0] == ["zoneID": ["zoneName": "X"]])
        #expect(
            zones?[1] == [
                "zoneID": ["zoneName": "Y"], "syncToken": "y0", "desiredKeys": ["title"], "resultsLimit": 5,
            ])
        #expect(server.requests[1].body["zones"]?[0]?["syncToken"] == "x1")
    }

    @Test func onePageOnly() async {
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [CKRecordZone.ID(zoneName: "X")])
        operation.fetchAllChanges = false
        let server = FakeServer(.private) { _, _ in ["zones": [Self.page("X", "x1", more: true)]] }
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all == ["zone X ok x1 true", "completion ok", "result ok"])
        #expect(server.requests.count == 1)
    }

    @Test func oneZoneFailsAlone() async {
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [CKRecordZone.ID(zoneName: "X"), CKRecordZone.ID(zoneName: "Y")])
        let server = FakeServer(.private) { _, _ in
            ["zones": [FakeServer.fault(.changeTokenExpired), Self.page("Y", "y1")]]
        }
        let log = logged(operation, server)
        await operation.run()
        #expect(
            log.all == [
                "zone X changeTokenExpired  false", "zone Y ok y1 false", "completion partialFailure", "result ok",
            ])
    }

    /// A server that promises more without advancing must not keep the operation for ever.
    @Test func aFeedThatDoesNotAdvance() async {
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [CKRecordZone.ID(zoneName: "X")],
            configurationsByRecordZoneID: [
                CKRecordZone.ID(zoneName: "X"): CKFetchRecordZoneChangesOperation.ZoneConfiguration(
                    previousServerChangeToken: CKServerChangeToken("x1"))
            ])
        let server = FakeServer(.private) { _, _ in ["zones": [Self.page("X", "x1", more: true)]] }
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all == ["zone X internalError  false", "completion internalError", "result internalError"])
    }

    /// The token of the pages before an error stays valid, so that they need not be fetched again.
    @Test(arguments: [CKError.Code.networkFailure, .changeTokenExpired])
    func anErrorAfterAPage(code: CKError.Code) async {
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [CKRecordZone.ID(zoneName: "X")])
        let isOfZone = code == .changeTokenExpired
        let server = FakeServer(
            .private, { _, _ in ["zones": [Self.page("X", "x1", more: true, FakeServer.record("a", zone: "X"))]] },
            { _, _ in
                guard isOfZone else { throw CKError(code) }
                return ["zones": [FakeServer.fault(code)]]
            })
        let log = logged(operation, server)
        operation.recordZoneFetchCompletionBlock = { id, token, _, more, error in
            log.add("former \(id.zoneName) \(token?.syncToken ?? "") \(more) \((error as? CKError)?.code == code)")
        }
        await operation.run()
        let end = isOfZone ? ["completion partialFailure", "result ok"] : ["completion \(code)", "result \(code)"]
        #expect(
            log.all == ["changed a ok", "token X x1", "zone X \(code)  false", "former X x1 false true"] + end)
    }

    @Test func theFormerOperation() async {
        let log = EventLog()
        let operation = CKFetchRecordChangesOperation(
            recordZoneID: CKRecordZone.ID(zoneName: "X"), previousServerChangeToken: nil)
        let server = FakeServer(.private) { _, _ in
            ["zones": [Self.page("X", "x1", more: true, FakeServer.record("a", zone: "X"), Self.deleted("d"))]]
        }
        server.serve(operation)
        operation.recordChangedBlock = { log.add("changed \($0.recordID.recordName)") }
        operation.recordWithIDWasDeletedBlock = { log.add("deleted \($0.recordName)") }
        operation.fetchRecordChangesCompletionBlock = { token, _, error in
            log.add("end \(token?.syncToken ?? "") \(error == nil)")
        }
        await operation.run()
        #expect(log.all == ["changed a", "deleted d", "end x1 true"])
        #expect(operation.moreComing)
    }
}

@Suite struct CKFetchDatabaseChangesOperationTests {
    private func logged(_ operation: CKFetchDatabaseChangesOperation, _ server: FakeServer) -> EventLog {
        let log = EventLog()
        server.serve(operation)
        operation.recordZoneWithIDChangedBlock = { log.add("changed \($0.zoneName)") }
        operation.recordZoneWithIDWasDeletedBlock = { log.add("deleted \($0.zoneName)") }
        operation.changeTokenUpdatedBlock = { log.add("token \($0.syncToken)") }
        operation.fetchDatabaseChangesCompletionBlock = { token, more, error in
            log.add("completion \(token?.syncToken ?? "") \(more) \(error == nil)")
        }
        operation.fetchDatabaseChangesResultBlock = { log.add("result \($0.outcome)") }
        return log
    }

    private static func zone(_ name: String, _ reason: String? = nil) -> JSONValue {
        guard let reason else { return ["zoneID": ["zoneName": .string(name)], "deleted": false] }
        return ["zoneID": ["zoneName": .string(name)], "deleted": true, "deletionReason": .string(reason)]
    }

    private static let pages: [FakeServer.Answer] = [
        { _, _ in
            ["zones": [zone("A"), zone("B", "deleted"), zone("C", "purged")], "syncToken": "1", "moreComing": true]
        }, { _, _ in ["zones": [zone("D", "encryptedDataReset")], "syncToken": "2", "moreComing": false] },
    ]

    @Test func allPages() async {
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: CKServerChangeToken("0"))
        let server = FakeServer(.private, Self.pages[0], Self.pages[1])
        let log = logged(operation, server)
        operation.recordZoneWithIDWasPurgedBlock = { log.add("purged \($0.zoneName)") }
        await operation.run()
        #expect(
            log.all == [
                "changed A", "deleted B", "purged C", "token 1", "deleted D", "token 2", "completion 2 false true",
                "result ok",
            ])
        #expect(server.requests.map { $0.body["syncToken"] } == ["0", "1"])
    }

    @Test func onePageOnly() async {
        let operation = CKFetchDatabaseChangesOperation()
        operation.fetchAllChanges = false
        operation.resultsLimit = 3
        let server = FakeServer(.private, Self.pages[0])
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all.suffix(2) == ["completion 1 true true", "result ok"])
        #expect(server.requests.map { $0.body["resultsLimit"] } == [3])
    }

    /// What has been fetched before an error stays valid.
    @Test func anErrorAfterAPage() async {
        let operation = CKFetchDatabaseChangesOperation()
        let server = FakeServer(.private, Self.pages[0], { _, _ in throw CKError(.changeTokenExpired) })
        let log = logged(operation, server)
        await operation.run()
        #expect(log.all.suffix(2) == ["completion 1 true false", "result changeTokenExpired"])
    }
}
