import CloudKit
import Foundation
import Testing

@Suite struct CKNotificationTests {
    private func dictionary(_ json: String) throws -> [AnyHashable: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any])
    }

    @Test func queries() throws {
        let notification = CKNotification(
            fromRemoteNotificationDictionary: try dictionary(
                """
                {"aps": {"alert": {"loc-key": "K", "loc-args": ["Milk"], "title": "T"}, "badge": 3, "sound": "ping",
                         "category": "note"},
                 "ck": {"ce": 2, "cid": "iCloud.com.example", "nid": "n-1", "ckuserid": "_u",
                        "qry": {"dbs": 2, "sid": "s", "zid": "Notes", "zoid": "_u", "rid": "a", "fo": 3,
                                "af": {"title": "Milk", "n": 5, "place": {"latitude": 1.5, "longitude": 2},
                                       "list": {"recordName": "l", "action": "NONE"}}}}}
                """))
        let query = try #require(notification as? CKQueryNotification)
        #expect(query.notificationType == .query)
        #expect(query.queryNotificationReason == .recordDeleted)
        #expect(query.recordID == CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes")))
        #expect(query.databaseScope == .private)
        #expect(query.recordFields?["title"] as? String == "Milk")
        #expect(query.recordFields?["n"] as? Int == 5)
        #expect((query.recordFields?["place"] as? CLLocation)?.coordinate.latitude == 1.5)
        #expect((query.recordFields?["list"] as? CKRecord.Reference)?.recordID.recordName == "l")
        #expect(query.subscriptionID == "s")
        #expect(query.containerIdentifier == "iCloud.com.example")
        #expect(query.subscriptionOwnerUserRecordID?.recordName == "_u")
        #expect(query.notificationID != nil)
        #expect(!query.isPruned)
        #expect(query.alertLocalizationKey == "K")
        #expect(query.alertLocalizationArgs == ["Milk"])
        #expect(query.title == "T")
        #expect(query.badge == 3)
        #expect(query.soundName == "ping")
        #expect(query.category == "note")
    }

    @Test func zones() throws {
        let payload = try dictionary(
            #"{"ck": {"cid": "c", "nid": "n", "ckuserid": "_u", "fet": {"dbs": 3, "sid": "s", "zid": "Z", "zoid": "_o"}}}"#
        )
        let notification = CKNotification(fromRemoteNotificationDictionary: payload)
        let zone = try #require(notification as? CKRecordZoneNotification)
        #expect(zone.recordZoneID == CKRecordZone.ID(zoneName: "Z", ownerName: "_o"))
        #expect(zone.databaseScope == .shared)
        #expect(zone.notificationType == .recordZone)
        #expect(CKRecordZoneNotification(fromRemoteNotificationDictionary: payload)?.subscriptionID == "s")
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: payload) == nil)
    }

    @Test func databases() throws {
        let notification = CKNotification(
            fromRemoteNotificationDictionary: try dictionary(
                #"{"aps": {"alert": "Hi", "content-available": 1}, "ck": {"met": {"dbs": 2, "sid": "s"}}}"#))
        #expect((notification as? CKDatabaseNotification)?.databaseScope == .private)
        #expect(notification?.notificationType == .database)
        #expect(notification?.alertBody == "Hi")
    }

    @Test func foreignAndPrunedDictionaries() throws {
        #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "Hi"]]) == nil)
        #expect(CKNotification(fromRemoteNotificationDictionary: [:]) == nil)
        let pruned = CKNotification(
            fromRemoteNotificationDictionary: try dictionary(#"{"ck": {"ce": 2, "cid": "c", "nid": "n"}}"#))
        #expect(pruned?.isPruned == true)
        #expect(pruned?.containerIdentifier == "c")
        #expect(pruned?.subscriptionID == nil)
    }

    /// A cursory dictionary must not stop the program.
    @Test(arguments: [
        #"{"ck": {"qry": {"fo": "x", "rid": 5, "dbs": 9, "af": []}}}"#, #"{"ck": {"fet": {"zid": null}}}"#,
        #"{"aps": 5, "ck": {"met": {}}}"#,
    ])
    func wrongKinds(json: String) throws {
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: dictionary(json)))
        #expect(notification.subscriptionID == nil)
        #expect(notification.alertBody == nil)
        if let query = notification as? CKQueryNotification {
            #expect(query.recordID == nil)
            #expect(query.recordFields == nil)
            #expect(query.databaseScope == .private)
        }
    }
}
