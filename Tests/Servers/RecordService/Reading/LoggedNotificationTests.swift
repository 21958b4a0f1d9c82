import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import RecordStorage
import RequestServing
import ServiceMessages
import SubscriptionStorage
import Testing

@testable import RecordService
@testable import SubscriptionService

/// A subscription service that missed an event reads the change log. It must then publish the same notifications as for
/// the event. These tests detect a member of the event that the log does not store.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(2)))
struct LoggedNotificationTests {
    @Test func notificationsFromTheLogAreThoseOfTheEvents() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            var events: [ChangeEvent] = []
            for kind in ["create", "forceUpdate", "forceDelete"] {
                let request = try database.request(
                    zone, database.operation(kind, "a", kind == "forceDelete" ? [:] : ["n": 1]))
                events += try await database.write(request.from(client: "device-7")).events
            }
            let deletion: JSONValue = [
                "operationType": "delete", "zone": ["zoneID": ["zoneName": .string(zone.address.zone.rawValue)]],
            ]
            events += try await database.answer(.zonesModify, ["operations": [deletion]]).events
            let kinds = try events.map { try $0.changedRecords()?.map(\.kind) }
            #expect(kinds == [[.created], [.updated], [.deleted], []])
            #expect(events.map(\.isDeletion) == [false, false, false, true])
            #expect(events.map(\.client) == ["device-7", "device-7", "device-7", nil])

            let answer = try await database.ask(
                .changesLog, ["incarnation": .string(zone.incarnation.uuidString), "afterSeq": 0])
            let logged = try #require(answer["events"]?.array)
            try #require(logged.count == events.count)
            for (event, logged) in zip(events, logged) {
                let sent = try ZoneChange(JSONValue(parsing: event.message().body))
                let recovered = try ZoneChange(logged)
                #expect(sent == recovered)
                for (one, other) in zip(try Self.notifications(of: sent), try Self.notifications(of: recovered)) {
                    #expect(try JSONValue(parsing: one.body) == JSONValue(parsing: other.body))
                    #expect(one.exchange == other.exchange && one.routingKey == other.routingKey)
                    #expect(one.properties.headers == other.properties.headers)
                    #expect(one.properties.messageID == other.properties.messageID)
                    #expect(one.properties.timestamp == other.properties.timestamp)
                }
            }
        }
    }

    private static let subscription = StoredSubscription(
        id: UUID(), environment: 1, user: RecordDatabase.user, subscriptionID: "all", kind: .database,
        recordType: nil, snapshot: nil)

    /// The zone's notification, and that of a subscription.
    private static func notifications(of change: ZoneChange) throws -> [AMQPMessage] {
        let notification = ChangeNotification(change)
        let firing = Firing(subscription: subscription, change: change, match: nil)
        return [
            notification.message(), notification.message(for: firing, showing: nil, badge: nil, clients: ["client.a"]),
        ]
    }
}

extension WriteRequest {
    /// The request as a client sends it that names itself.
    fileprivate func from(client: String) -> WriteRequest {
        var context = context
        context.client = client
        return WriteRequest(delivery: delivery, context: context, body: body, bodyHash: bodyHash, zone: zone)
    }
}
