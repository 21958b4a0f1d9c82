import CloudKitModel
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

@testable import AMQPClient
@testable import SubscriptionService
@testable import SubscriptionStorage

struct ChangeNotificationTests {
    private let zone = TestZone("Notes.v1")

    private func notification(_ event: ChangeEvent) throws -> ChangeNotification {
        ChangeNotification(try ZoneChange(JSONValue(parsing: event.json(bounded: false))))
    }

    private func subscription(_ kind: StoredSubscription.Kind = .zone) -> StoredSubscription {
        StoredSubscription(
            id: UUID(), environment: 1, user: zone.address.owner, subscriptionID: "my.watch", kind: kind,
            recordType: nil, snapshot: nil)
    }

    private func firing(_ subscription: StoredSubscription, _ event: ChangeEvent) throws -> Firing {
        Firing(
            subscription: subscription, change: try ZoneChange(JSONValue(parsing: event.json(bounded: false))),
            match: nil)
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
        let subscription = subscription()
        let message = try notification(zone.event(3...4)).message(
            for: firing(subscription, zone.event(3...4)), showing: NotificationInfo(["alertBody": "Look"]), badge: nil,
            clients: [])
        let json = try JSONValue(parsing: message.body)
        let nid = UUID(version5: "4/", in: zone.incarnation).uuidString.lowercased()
        let user = JSONValue.string(zone.address.owner)
        #expect(json["id"]?.string == UUID(version5: nid, in: subscription.id).uuidString.lowercased())
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
        #expect(
            message.properties.headers == [
                "zonda-version": 1, "zonda-container": "com.example.tests", "zonda-environment": "development",
                "zonda-user": .string(zone.address.owner),
            ])
    }

    @Test func allSubscriptionsShareTheChangesIdentityAndNoneItsOwn() throws {
        let notification = try notification(zone.event(1...1))
        let bodies = try (0..<2).map { _ in
            let message = notification.message(
                for: try firing(subscription(), zone.event(1...1)), showing: nil, badge: nil, clients: [])
            return try JSONValue(parsing: message.body)
        }
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

    // MARK: Query subscriptions

    private static let long = String(repeating: "ä", count: 101)

    private func match(_ fields: JSONValue, _ kind: ChangedRecord.Kind = .updated) throws -> Firing.Match {
        let record = ChangedRecord(
            name: "n-7", type: "Note", seq: 4, kind: kind, record: ["recordName": "n-7", "fields": fields])
        return Firing.Match(
            record: record, values: try #require(try EventRecord(record, zone: zone.address.zone.rawValue)))
    }

    private func reported(_ info: JSONValue, _ match: Firing.Match, badge: Int? = nil) throws -> JSONValue {
        let query = StoredSubscription.Query(
            predicate: "TRUEPREDICATE", zoneName: nil, firesOn: .update, firesOnce: false, ownOnly: false,
            isDenied: false, rights: 0)
        let change = try ZoneChange(JSONValue(parsing: zone.event(3...9).json(bounded: false)))
        let firing = Firing(subscription: subscription(.query(query)), change: change, match: match)
        return try JSONValue(
            parsing: ChangeNotification(change).message(
                for: firing, showing: NotificationInfo(info), badge: badge, clients: ["client.a"]
            ).body)
    }

    @Test(
        arguments: [(ChangedRecord.Kind.created, 1), (.updated, 2), (.deleted, 3)] as [(ChangedRecord.Kind, JSONValue)])
    func aQuerysMessageIsAboutOneRecord(kind: ChangedRecord.Kind, reason: JSONValue) throws {
        let json = try reported([:], match([:], kind))
        #expect(
            json["ck"]?["qry"] == [
                "sid": "my.watch", "rid": "n-7", "fo": reason, "zid": "Notes.v1",
                "zoid": .string(zone.address.owner), "dbs": 2,
            ])
        #expect(json["fromSeq"] == 4)
        #expect(json["toSeq"] == 4)
        #expect(json["syncToken"] == "token-9")
        #expect(
            json["records"] == [
                ["recordName": "n-7", "recordType": "Note", "change": .string(kind.rawValue)]
            ])
        let nid = UUID(version5: "4/n-7", in: zone.incarnation).uuidString.lowercased()
        #expect(json["ck"]?["nid"]?.string == nid)
    }

    @Test func additionalFieldsAreBareAndCut() throws {
        let json = try reported(
            ["additionalFields": ["title", "at", "blob"]],
            match([
                "title": ["value": .string(Self.long), "type": "STRING"], "at": ["value": 5, "type": "TIMESTAMP"],
                "blob": ["value": "AAEC", "type": "BYTES"], "other": ["value": 1, "type": "INT64"],
            ]))
        #expect(json["ck"]?["qry"]?["af"] == ["title": .string(String(Self.long.dropLast())), "at": 5])
    }

    /// One character may consist of any number of scalars.
    @Test func whatLooksLikeOneCharacterIsCutToo() throws {
        let text = "e" + String(repeating: "\u{301}", count: 500)
        let json = try reported(["additionalFields": ["title"]], match(["title": ["value": .string(text)]]))
        let shown = try #require(json["ck"]?["qry"]?["af"]?["title"]?.string)
        #expect(shown.unicodeScalars.count == 100)
    }

    @Test func textsTakeTheirArgumentsFromTheRecord() throws {
        let json = try reported(
            [
                "alertLocalizationKey": "NEW", "alertLocalizationArgs": ["title", "n", "none"],
                "titleLocalizationKey": "T", "titleLocalizationArgs": ["title"], "shouldBadge": true,
                "collapseIDKey": "title",
            ],
            match(["title": ["value": "Milk", "type": "STRING"], "n": ["value": 2.5, "type": "DOUBLE"]]), badge: 7)
        #expect(
            json["aps"] == [
                "alert": [
                    "loc-key": "NEW", "loc-args": ["Milk", "2.5", ""], "title-loc-key": "T", "title-loc-args": ["Milk"],
                ], "badge": 7,
            ])
        #expect(json["collapseID"] == "Milk")
        #expect(try reported(["collapseIDKey": "inbox"], match([:]))["collapseID"] == "inbox")
    }

    @Test func registeredClientsAreReachedByASecondKey() throws {
        let subscription = subscription()
        let message = try notification(zone.event(1...1)).message(
            for: firing(subscription, zone.event(1...1)), showing: nil, badge: nil, clients: ["client.a", "client.b"])
        #expect(message.properties.headers["BCC"] == .array(["client.a", "client.b"]))
        #expect(message.withCopies.count == 1)
    }

    @Test func eachOfTheMostClientsIsNamedOnceByMessagesThatFitIntoFrames() throws {
        let clients = (0..<1000).map { Queue.client("\($0)" + String(repeating: "f", count: 29)) }
        let message = try notification(zone.event(1...1)).message(
            for: firing(subscription(), zone.event(1...1)), showing: nil, badge: nil, clients: clients)
        let messages = message.withCopies
        let limits = try AMQPConfiguration(url: "amqp://a:b@localhost/c")
        let named = messages.enumerated().flatMap { index, part in
            guard case .array(let keys)? = part.properties.headers["BCC"] else { return [String]() }
            return (index == 0 ? [] : [part.routingKey])
                + keys.compactMap { if case .string(let key) = $0 { key } else { nil } }
        }
        #expect(named == clients)
        #expect(messages[0].routingKey == message.routingKey)
        #expect(
            messages.allSatisfy { $0.body == message.body && $0.properties.messageID == message.properties.messageID })
        #expect(throws: AMQPError.self) { try message.validate(for: limits) }
        for part in messages { try part.validate(for: limits) }
    }

    // MARK: Tests of subscriptions

    /// The members that describe a change. The notification of a test has none of them.
    private static let membersOfChanges: Set = [
        "owner", "zone", "incarnation", "fromSeq", "toSeq", "syncToken", "records", "merged", "deleted",
    ]

    private func tested(_ kind: Subscription.Kind, _ info: JSONValue, id: UUID, now: Int64) throws -> AMQPMessage {
        let subscription = Subscription(
            subscriptionID: SubscriptionID(unchecked: "my.watch"), kind: kind,
            notificationInfo: try NotificationInfo(info))
        let state = SubscriptionStateTable.State(
            id: id, environmentID: 1, container: zone.address.container, environment: .development, scope: .private,
            user: zone.address.owner, subscription: subscription, isActive: true, delivered: 0, refused: 0,
            lastSeq: nil, lastZone: nil, lastAt: nil, lastLag: nil, lastError: nil, lastErrorAt: nil)
        return TestNotification(state, clients: ["client.a"], now: now).message
    }

    @Test func aTestHasEveryMemberOfANotificationButThoseOfTheChange() throws {
        let info: JSONValue = [
            "alertBody": "Look", "soundName": "default", "category": "notes", "collapseIDKey": "inbox",
        ]
        let subscription = subscription()
        let event = zone.event(3...4)
        let fired = try notification(event).message(
            for: firing(subscription, event), showing: NotificationInfo(info), badge: nil, clients: ["client.a"])
        let test = try tested(
            .zone(ZoneID(zoneName: zone.address.zone), recordType: nil), info, id: subscription.id, now: event.at)
        let (firedJSON, testJSON) = (try members(of: fired), try members(of: test))
        #expect(Set(testJSON.keys) == Set(firedJSON.keys).subtracting(Self.membersOfChanges).union(["test"]))
        for (key, value) in testJSON where !["id", "test", "ck"].contains(key) {
            #expect(value == firedJSON[key], "\(key)")
        }
        let (firedPart, testPart) = (try #require(firedJSON["ck"]), try #require(testJSON["ck"]))
        #expect(testPart.without("nid") == firedPart.without("nid"))
        #expect(test.properties.headers == fired.properties.headers)
        #expect(test.properties.timestamp == fired.properties.timestamp)
        #expect(test.routingKey == fired.routingKey && test.exchange == fired.exchange)
        #expect(test.isMandatory)
    }

    @Test func aTestOfADatabaseNamesNoZone() throws {
        let test = try tested(.database(recordType: nil), [:], id: UUID(), now: 1_700_000_000_123)
        let json = try JSONValue(parsing: test.body)
        #expect(json["test"] == true && json["at"] == 1_700_000_000_123)
        #expect(json["ck"]?["met"] == ["sid": "my.watch", "dbs": 2])
    }

    private func members(of message: AMQPMessage) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(parsing: message.body) else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    }
}

extension JSONValue {
    /// Returns an object without a member.
    fileprivate func without(_ key: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != key })
    }
}
