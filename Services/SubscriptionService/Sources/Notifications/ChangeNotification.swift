internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The notifications of one change: one for the zone, and one for each firing of a subscription
/// (`deploy/docs/messages.md`, Notifications; web-services 8.3).
struct ChangeNotification: Sendable {
    /// The maximum size of the list of records, in bytes. Instead of a larger list, a notification contains
    /// `"records": null`, and the records can be read from the change feed.
    static let maxRecordsBytes = 1 << 20

    private let change: ZoneChange
    /// `ck.nid`, which is the same for all subscriptions to the zone or its database.
    private let nid: UUID
    /// The members of the notifications about the change as a whole, as JSON without braces.
    private let members: [UInt8]
    private let properties: AMQPProperties

    /// Creates the notifications for `change`. The zone's notification contains no field values.
    init(_ change: ZoneChange) {
        self.change = change
        nid = NotificationID.ofChange(change)
        members = Self.members(
            change, Part(change: change, fromSeq: change.fromSeq, toSeq: change.toSeq, records: change.records ?? []))
        var properties = Self.properties(at: change.event.at)
        // The header names the client that made the change, so that a consumer can ignore its own changes. The
        // notification is sent anyway, because it is for all of the user's devices.
        if let client = change.event.client { properties.headers[Header.client] = .string(client) }
        properties.headers.set(change.event.trace)
        self.properties = properties
    }

    /// The approximate size of a notification about the change as a whole, in bytes.
    var size: Int { members.count + 512 }

    /// Returns the zone's notification.
    func message() -> AMQPMessage {
        AMQPMessage(
            notification: NotificationID.ofZone(change), key: RoutingKey.zoneNotification(change.event.address),
            members: members, properties
        ) { _ in }
    }

    /// Returns the notification for a firing.
    ///
    /// - Parameters:
    ///   - info: How the notification is shown; nil if it carries no text, sound or badge.
    ///   - badge: The number on the app's icon; nil if it does not change.
    ///   - clients: The routing keys of the user's registered clients that receive the notification.
    func message(for firing: Firing, showing info: NotificationInfo?, badge: Int?, clients: [String])
        -> AMQPMessage
    {
        let (subscription, address) = (firing.subscription, change.event.address)
        let nid = firing.match.map { NotificationID.ofRecord($0.record, in: change) } ?? self.nid
        let members =
            firing.match.map { match in
                let seq = match.record.seq
                return Self.members(change, Part(change: change, fromSeq: seq, toSeq: seq, records: [match.record]))
            } ?? firing.shared?.members ?? members
        var properties = properties
        if let shared = firing.shared {
            properties.timestamp = Self.timestamp(shared.at)
            // Participants must not learn the names of other users' clients and the traces of their requests.
            if change.event.user != subscription.user {
                properties.headers[Header.client] = nil
                properties.headers[Header.trace] = nil
            }
        }
        let notification = UserNotification(
            container: address.container, environment: address.environment,
            scope: firing.shared == nil ? address.scope : .shared,
            zone: (address.zone.rawValue, address.owner), user: subscription.user,
            subscriptionID: subscription.subscriptionID, subject: UserNotification.Subject(subscription.kind),
            match: firing.match, info: info, badge: badge, clients: clients)
        return notification.message(
            id: NotificationID.ofSubscription(subscription.id, change: nid), nid: nid, members: members, properties)
    }

    private static func members(_ change: ZoneChange, _ part: Part) -> [UInt8] {
        let address = change.event.address
        return members(address.container, address.environment, address.scope, at: change.event.at, about: part)
    }
}

extension ChangeNotification {
    /// The part of a change that a notification is about.
    struct Part {
        /// The change.
        let change: ZoneChange
        /// The number of the first change.
        let fromSeq: Int64
        /// The number of the last change.
        let toSeq: Int64
        /// The changed records.
        let records: [ChangedRecord]
    }

    /// Returns the properties of a notification about a change that was made at `milliseconds` since 1970.
    static func properties(at milliseconds: Int64) -> AMQPProperties {
        AMQPProperties(
            contentType: "application/json", timestamp: timestamp(milliseconds), headers: [Header.version: 1])
    }

    private static func timestamp(_ milliseconds: Int64) -> UInt64 { UInt64(max(0, milliseconds) / 1000) }

    /// Returns the members that precede CloudKit's members in a notification, as JSON without braces.
    ///
    /// - Parameters:
    ///   - at: The time of the change, in milliseconds since 1970.
    ///   - part: The change; nil for a test, which contains `"test": true` instead.
    static func members(
        _ container: String, _ environment: EnvironmentName, _ scope: DatabaseScope, at: Int64, about part: Part?
    ) -> [UInt8] {
        let event = part?.change.event
        var writer = WireWriter()
        if part == nil { writer.member("test", true) }
        writer.member("container", container)
        writer.member("environment", environment.rawValue)
        writer.member("scope", scope.wireName)
        writer.member("owner", event?.address.owner)
        writer.member("zone", event?.address.zone.rawValue)
        writer.member("incarnation", event?.incarnation.lowercaseText)
        writer.member("fromSeq", part?.fromSeq)
        writer.member("toSeq", part?.toSeq)
        writer.member("syncToken", event?.syncToken)
        writer.member("at", at)
        if event?.isMerged == true { writer.member("merged", true) }
        if event?.isDeletion == true { writer.member("deleted", true) }
        guard let part else { return writer.bytes }
        let listed = list(part.records)
        writer.key("records")
        if listed.count <= maxRecordsBytes { writer.raw(listed) } else { writer.null() }
        return writer.bytes
    }

    /// Returns the list of changed records in notifications, as a JSON array.
    static func list(_ records: [ChangedRecord]) -> [UInt8] {
        var writer = WireWriter()
        writer.array(records) { writer, record in
            writer.object { writer in
                writer.member("recordName", record.name)
                writer.member("recordType", record.type)
                writer.member("change", record.kind.rawValue)
            }
        }
        return writer.bytes
    }
}
