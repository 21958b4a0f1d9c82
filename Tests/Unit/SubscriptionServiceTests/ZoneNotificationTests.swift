import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

@testable import SubscriptionService

struct ZoneNotificationTests {
    private let zone = TestZone("Notes.v1")

    private func notification(_ event: ChangeEvent) throws -> ZoneNotification {
        ZoneNotification(try ZoneChange(JSONValue(parsing: event.json(bounded: false))))
    }

    private func watcher(_ info: JSONValue? = nil) throws -> Watcher {
        Watcher(
            id: UUID(), user: zone.address.owner, subscriptionID: "my.watch",
            aps: try info.flatMap { try NotificationInfo($0).aps }, snapshot: nil)
    }

    @Test func aZonesMessageHasTheChangeWithoutValues() throws {
        let message = try notification(zone.event(3...4, client: "device-7")).message()
        let incarnation = zone.incarnation.uuidString.lowercased()
        let id = UUID(version5: "3-4", in: zone.incarnation).uuidString.lowercased()
        let user = zone.address.owner
        #expect(
            String(decoding: message.body, as: UTF8.self)
                == #"{"id":"\#(id)","container":"com.example.tests","environment":"development","scope":"private","#
                + #""owner":"\#(user)","zone":"Notes.v1","incarnation":"\#(incarnation)","fromSeq":3,"toSeq":4,"#
                + #""syncToken":"token-4","at":1700000000123,"records":[{"recordName":"r3","recordType":"Note","#
                + #""change":"created"},{"recordName":"r4","recordType":"Note","change":"created"}]}"#)
        #expect(message.exchange == "zonda.notifications")
        #expect(message.routingKey == "zone.com%2Eexample%2Etests.development.private.\(user).Notes%2Ev1")
        #expect(message.properties.messageID == id)
        #expect(message.properties.contentType == "application/json")
        #expect(message.properties.timestamp == 1_700_000_000)
        #expect(message.properties.isPersistent)
        #expect(message.properties.headers == ["zonda-version": 1, "zonda-client": "device-7"])
    }

    @Test func aSubscriptionsMessageAddsWhatCloudKitHas() throws {
        let watcher = try watcher(["alertBody": "Look"])
        let message = try notification(zone.event(3...4)).message(for: watcher)
        let json = try JSONValue(parsing: message.body)
        let nid = UUID(version5: "4/", in: zone.incarnation).uuidString.lowercased()
        let user = JSONValue.string(zone.address.owner)
        #expect(json["id"]?.string == UUID(version5: nid, in: watcher.id).uuidString.lowercased())
        #expect(message.properties.messageID == json["id"]?.string)
        #expect(json["fromSeq"] == 3)
        #expect(json["records"]?.array?.count == 2)
        #expect(
            json["ck"] == [
                "ce": 2, "cid": "com.example.tests", "nid": .string(nid), "ckuserid": user, "aux": [:],
                "fet": ["sid": "my.watch", "zid": "Notes.v1", "zoid": user, "dbs": 2],
            ])
        #expect(json["aps"] == ["alert": "Look"])
        #expect(message.routingKey == "user.com%2Eexample%2Etests.development.\(zone.address.owner).my%2Ewatch")
        #expect(message.properties.headers == ["zonda-version": 1])
    }

    @Test func allSubscriptionsShareTheChangesIdentityAndNoneItsOwn() throws {
        let notification = try notification(zone.event(1...1))
        let bodies = try (0..<2).map { _ in try JSONValue(parsing: notification.message(for: watcher()).body) }
        #expect(bodies[0]["ck"]?["nid"] == bodies[1]["ck"]?["nid"])
        #expect(bodies[0]["id"] != bodies[1]["id"])
        #expect(bodies[0]["aps"] == nil)
    }

    @Test func mergedChangesSaySo() throws {
        let json = try JSONValue(parsing: notification(zone.event(1...9, isMerged: true)).message().body)
        #expect(json["merged"] == true)
    }

    @Test func tooManyRecordsAreLeftToTheFeed() throws {
        let few = try JSONValue(parsing: notification(zone.event(1...1000)).message().body)
        #expect(few["records"]?.array?.count == 1000)
        let many = try JSONValue(parsing: notification(zone.event(1...30_000)).message().body)
        #expect(many["records"] == .null)
        #expect(many["toSeq"] == 30_000)
    }
}
