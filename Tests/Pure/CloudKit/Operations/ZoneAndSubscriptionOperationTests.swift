import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct RecordZoneOperationTests {
    private static func zone(_ name: String) -> JSONValue {
        [
            "zoneID": ["zoneName": .string(name), "ownerRecordName": "_me", "zoneType": "REGULAR_CUSTOM_ZONE"],
            "atomic": true,
        ]
    }

    @Test func zonesAreCreatedAndDeleted() async {
        let log = EventLog()
        let operation = CKModifyRecordZonesOperation(
            recordZonesToSave: [CKRecordZone(zoneID: CKRecordZone.ID(zoneName: "A"))],
            recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "B"), CKRecordZone.ID(zoneName: "C")])
        let server = FakeServer(
            .private, { _, _ in ["zones": [Self.zone("A")]] },
            { _, _ in
                ["zones": [["zoneID": ["zoneName": "B"], "deleted": true], FakeServer.fault(.zoneNotFound)]]
            })
        server.serve(operation)
        operation.perRecordZoneSaveBlock = { log.add("save \($0.zoneName) \($1.outcome)") }
        operation.perRecordZoneDeleteBlock = { log.add("delete \($0.zoneName) \($1.outcome)") }
        operation.modifyRecordZonesCompletionBlock = { saved, deleted, error in
            log.add(
                "completion \(saved?.count ?? 0) \(deleted?.count ?? 0) \((error as? CKError).map { "\($0.code)" } ?? "")"
            )
        }
        operation.modifyRecordZonesResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(
            log.all == [
                "save A ok", "delete B ok", "delete C zoneNotFound", "completion 1 1 partialFailure", "result ok",
            ])
    }

    @Test func allZonesOrSomeAreFetched() async {
        let log = EventLog()
        let server = FakeServer(
            .private, { _, _ in ["zones": [Self.zone("A"), Self.zone("B")]] },
            { _, _ in ["zones": [Self.zone("A"), FakeServer.fault(.zoneNotFound)]] })
        for operation in [
            CKFetchRecordZonesOperation.fetchAllRecordZonesOperation(),
            CKFetchRecordZonesOperation(
                recordZoneIDs: [CKRecordZone.ID(zoneName: "A"), CKRecordZone.ID(zoneName: "C")]),
        ] {
            server.serve(operation)
            operation.perRecordZoneResultBlock = { log.add("\($0.zoneName) \($1.outcome)") }
            operation.fetchRecordZonesCompletionBlock = { zones, error in
                log.add("completion \(zones?.count ?? 0) \(error == nil)")
            }
            await operation.run()
        }
        #expect(log.all == ["A ok", "B ok", "completion 2 true", "A ok", "C zoneNotFound", "completion 1 false"])
        #expect(server.requests.map(\.action) == ["zones/list", "zones/lookup"])
    }
}

@Suite struct SubscriptionOperationTests {
    private static let saved: JSONValue = ["subscriptionID": "all", "subscriptionType": "database"]

    @Test func subscriptionsAreSavedAndDeleted() async {
        let log = EventLog()
        let watched = CKDatabaseSubscription(subscriptionID: "all")
        watched.notificationInfo = CKSubscription.NotificationInfo()
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "bare"), watched],
            subscriptionIDsToDelete: ["old"])
        let server = FakeServer(
            .private, { _, _ in ["subscriptions": [Self.saved]] },
            { _, _ in ["subscriptions": [FakeServer.fault(.unknownItem)]] })
        server.serve(operation)
        operation.perSubscriptionSaveBlock = { log.add("save \($0) \($1.outcome)") }
        operation.perSubscriptionDeleteBlock = { log.add("delete \($0) \($1.outcome)") }
        operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
            log.add(
                "completion \(saved?.count ?? 0) \(deleted?.count ?? 0) \((error as? CKError)?.partialErrorsByItemID?.count ?? 0)"
            )
        }
        operation.modifySubscriptionsResultBlock = { log.add("result \($0.outcome)") }
        await operation.run()
        #expect(
            log.all == [
                "save bare invalidArguments", "save all ok", "delete old unknownItem", "completion 1 0 2", "result ok",
            ])
        #expect(server.requests[0].body["operations"]?[0]?["operationType"] == "create")
    }

    @Test func allSubscriptionsOrSomeAreFetched() async {
        let log = EventLog()
        let server = FakeServer(
            .private, { _, _ in ["subscriptions": [Self.saved]] },
            { _, _ in ["subscriptions": [Self.saved, FakeServer.fault(.unknownItem)]] })
        for operation in [
            CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation(),
            CKFetchSubscriptionsOperation(subscriptionIDs: ["all", "gone"]),
        ] {
            server.serve(operation)
            operation.perSubscriptionResultBlock = { log.add("\($0) \($1.outcome)") }
            operation.fetchSubscriptionCompletionBlock = { subscriptions, error in
                log.add("completion \(subscriptions?.count ?? 0) \(error == nil)")
            }
            await operation.run()
        }
        #expect(log.all == ["all ok", "completion 1 true", "all ok", "gone unknownItem", "completion 1 false"])
        #expect(server.requests.map(\.action) == ["subscriptions/list", "subscriptions/lookup"])
    }
}
