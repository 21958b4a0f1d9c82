import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct SubscriptionCodingTests {
    private func info() -> CKSubscription.NotificationInfo {
        CKSubscription.NotificationInfo(
            alertBody: "Changed", desiredKeys: ["title"], shouldSendContentAvailable: true)
    }

    @Test func queries() throws {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "n > 5"), subscriptionID: "big",
            options: [.firesOnRecordCreation, .firesOnRecordDeletion, .firesOnce])
        subscription.notificationInfo = info()
        subscription.zoneID = CKRecordZone.ID(zoneName: "Notes")
        let json = try SubscriptionCoding.json(of: subscription)
        #expect(
            json == [
                "subscriptionID": "big", "subscriptionType": "query",
                "query": [
                    "recordType": "Note",
                    "filterBy": [
                        ["comparator": "GREATER_THAN", "fieldName": "n", "fieldValue": ["value": 5, "type": "INT64"]]
                    ],
                ],
                "firesOn": ["create", "delete"], "firesOnce": true, "zoneID": ["zoneName": "Notes"],
                "notificationInfo": [
                    "alertBody": "Changed", "additionalFields": ["title"], "shouldSendContentAvailable": true,
                ],
            ])
        let read = try #require(try SubscriptionCoding.subscription(from: json) as? CKQuerySubscription)
        #expect(try SubscriptionCoding.json(of: read) == json)
        #expect(read.predicate.text == "n > 5")
        #expect(read.querySubscriptionOptions == subscription.querySubscriptionOptions)
    }

    @Test func zones() throws {
        let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: "_abc")
        let subscription = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "notes")
        subscription.notificationInfo = CKSubscription.NotificationInfo()
        subscription.recordType = "Note"
        let json = try SubscriptionCoding.json(of: subscription)
        #expect(
            json == [
                "subscriptionID": "notes", "subscriptionType": "zone",
                "zoneID": ["zoneName": "Notes", "ownerRecordName": "_abc"], "recordType": "Note",
                "notificationInfo": [:],
            ])
        let read = try #require(try SubscriptionCoding.subscription(from: json) as? CKRecordZoneSubscription)
        #expect(read.zoneID == zone)
        #expect(read.recordType == "Note")
        #expect(read.subscriptionType == .recordZone)
    }

    @Test func databases() throws {
        let subscription = CKDatabaseSubscription(subscriptionID: "all")
        subscription.notificationInfo = CKSubscription.NotificationInfo()
        let json = try SubscriptionCoding.json(of: subscription)
        #expect(json == ["subscriptionID": "all", "subscriptionType": "database", "notificationInfo": [:]])
        #expect(try SubscriptionCoding.subscription(from: json) is CKDatabaseSubscription)
    }

    @Test func unusableSubscriptions() {
        let bare = CKDatabaseSubscription(subscriptionID: "all")
        let silent = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "never", options: [])
        silent.notificationInfo = CKSubscription.NotificationInfo()
        for subscription in [bare, silent] {
            let error = #expect(throws: CKError.self) { try SubscriptionCoding.json(of: subscription) }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"subscriptionID": "a", "subscriptionType": "zone"}"#,
        #"{"subscriptionID": "a", "subscriptionType": "moon"}"#,
        #"{"subscriptionID": "a", "subscriptionType": "query", "query": {"recordType": "N", "filterBy": [{}]}}"#,
    ])
    func unreadableAnswers(json: String) throws {
        let json = try JSONValue(parsing: json)
        let error = #expect(throws: CKError.self) { try SubscriptionCoding.subscription(from: json) }
        #expect(error?.code == .internalError)
    }

    @Test func copiesAndArchives() throws {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "n > 5"), subscriptionID: "big")
        subscription.notificationInfo = info()
        subscription.zoneID = CKRecordZone.ID(zoneName: "Notes")
        let json = try SubscriptionCoding.json(of: subscription)
        let copy = try #require(subscription.copy() as? CKQuerySubscription)
        copy.notificationInfo?.alertBody = "Other"
        #expect(try SubscriptionCoding.json(of: subscription) == json)

        let data = try NSKeyedArchiver.archivedData(withRootObject: subscription, requiringSecureCoding: true)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuerySubscription.self, from: data))
        #expect(try SubscriptionCoding.json(of: decoded) == json)
    }

    /// As in Apple's framework, the subscription keeps a copy.
    @Test func notificationInfoIsCopied() {
        let subscription = CKDatabaseSubscription(subscriptionID: "all")
        let info = CKSubscription.NotificationInfo()
        subscription.notificationInfo = info
        info.shouldBadge = true
        #expect(subscription.notificationInfo?.shouldBadge == false)
    }
}
