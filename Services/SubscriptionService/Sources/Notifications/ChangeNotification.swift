internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The notifications of one change: the zone's, and one for each firing of a subscription (`deploy/docs/messages.md`,
/// Notifications; web-services 8.3).
struct ChangeNotification: Sendable {
    /// The size of the list of records, in bytes, above which a notification contains `"records": null` instead. The
    /// records can be read from the change feed.
    static let maxRecordsBytes = 1 << 20

    private let change: ZoneChange
    /// `ck.nid`, the same for all subscriptions to the zone or its database.
    private let nid: UUID
    /// The members of the notifications about the whole change, as JSON without braces.
    private let members: [UInt8]
    private let properties: AMQPProperties

    /// Creates the notifications of `change`. The zone's notification contains no field values.
    init(_ change: ZoneChange) {
        self.change = change
        nid = NotificationID.ofChange(change)
        members = Self.members(change, from: change.fromSeq, to: change.toSeq, change.records ?? [])
        // The header names the client that made the change, so that a consumer can ignore its own changes. The
        // notification is sent anyway, because it is for all of the user's devices.
        var headers: AMQPTable = [Header.version: 1]
        if let client = change.event.client { headers[Header.client] = .string(client) }
        headers.set(change.event.trace)
        properties = AMQPProperties(
            contentType: "application/json", timestamp: UInt64(max(0, change.event.at) / 1000), headers: headers)
    }

    /// The approximate size of a notification about the whole change, in bytes.
    var size: Int { members.count + 512 }

    /// Returns the zone's notification.
    func message() -> AMQPMessage {
        message(
            id: NotificationID.ofZone(change), key: RoutingKey.zoneNotification(change.event.address),
            members: members, properties
        ) { _ in }
    }

    /// Returns the notification of a firing.
    ///
    /// - Parameters:
    ///   - info: How the notification is shown; nil if it carries no text, sound or badge.
    ///   - badge: The number on the app's icon; nil if it does not change.
    ///   - clients: The routing keys of the user's registered clients that receive it.
    func message(for firing: Firing, showing info: NotificationInfo?, badge: Int?, clients: [String])
        -> AMQPMessage
    {
        let (subscription, address) = (firing.subscription, change.event.address)
        let nid = firing.match.map { NotificationID.ofRecord($0.record, in: change) } ?? self.nid
        var properties = properties
        properties.headers[Header.container] = .string(address.container)
        properties.headers[Header.environment] = .string(address.environment.rawValue)
        properties.headers[Header.user] = .string(subscription.user)
        if !clients.isEmpty { properties.headers["BCC"] = .array(clients.map { .string($0) }) }
        let key = RoutingKey.userNotification(
            container: address.container, environment: address.environment, user: subscription.user,
            subscriptionID: subscription.subscriptionID)
        let members =
            firing.match.map { Self.members(change, from: $0.record.seq, to: $0.record.seq, [$0.record]) } ?? members
        return message(
            id: NotificationID.ofSubscription(subscription.id, change: nid), key: key, members: members, properties
        ) { writer in
            writer.key("ck")
            writer.object { writer in
                writer.member("ce", 2)
                writer.member("cid", address.container)
                writer.member("nid", nid.lowercaseText)
                writer.member("ckuserid", subscription.user)
                writer.key("aux")
                writer.object { _ in }
                writer.subject(firing, info, of: address)
            }
            if let aps = info?.aps(about: firing.match?.values, badge: badge) {
                writer.key("aps")
                writer.value(aps)
            }
            writer.member("collapseID", info?.collapseID(about: firing.match?.values))
        }
    }

    private func message(
        id: UUID, key: String, members: [UInt8], _ properties: AMQPProperties, _ more: (inout WireWriter) -> Void
    ) -> AMQPMessage {
        let id = id.lowercaseText
        var writer = WireWriter(capacity: members.count + 512)
        writer.object { writer in
            writer.member("id", id)
            writer.raw(members)
            more(&writer)
        }
        var properties = properties
        properties.messageID = id
        return AMQPMessage(
            exchange: Exchange.notifications, routingKey: key, properties: properties, body: writer.bytes)
    }

    private static func members(
        _ change: ZoneChange, from fromSeq: Int64, to toSeq: Int64, _ records: [ChangedRecord]
    ) -> [UInt8] {
        let event = change.event
        var writer = WireWriter()
        writer.member("container", event.address.container)
        writer.member("environment", event.address.environment.rawValue)
        writer.member("scope", event.address.scope.wireName)
        writer.member("owner", event.address.owner)
        writer.member("zone", event.address.zone.rawValue)
        writer.member("incarnation", event.incarnation.lowercaseText)
        writer.member("fromSeq", fromSeq)
        writer.member("toSeq", toSeq)
        writer.member("syncToken", event.syncToken)
        writer.member("at", event.at)
        if event.isMerged { writer.member("merged", true) }
        if event.isDeletion { writer.member("deleted", true) }
        var listed = WireWriter()
        listed.array(records) { writer, record in
            writer.object { writer in
                writer.member("recordName", record.name)
                writer.member("recordType", record.type)
                writer.member("change", record.kind.rawValue)
            }
        }
        writer.key("records")
        if listed.bytes.count <= maxRecordsBytes { writer.raw(listed.bytes) } else { writer.null() }
        return writer.bytes
    }
}

extension WireWriter {
    /// Writes the subject of a firing: `fet`, `met` or `qry` (web-services 8.3).
    fileprivate mutating func subject(_ firing: Firing, _ info: NotificationInfo?, of address: ZoneAddress) {
        let scope = Int(address.scope.rawValue)
        switch firing.subscription.kind {
        case .zone: key("fet")
        case .database: key("met")
        case .query: key("qry")
        }
        object { writer in
            writer.member("sid", firing.subscription.subscriptionID)
            if let match = firing.match {
                writer.member("rid", match.record.name)
                writer.member("fo", Int(match.record.kind.reason))
            }
            writer.member("zid", address.zone.rawValue)
            // The default zone of the public database has no owner; CloudKit names the recipient instead.
            writer.member("zoid", address.owner == ZoneAddress.publicOwner ? firing.subscription.user : address.owner)
            writer.member("dbs", scope)
            if let values = firing.match?.values, let fields = info?.additionalFields(of: values) {
                writer.key("af")
                writer.value(fields)
            }
        }
    }
}

extension ChangedRecord.Kind {
    /// The raw value of CKQueryNotification.Reason.
    fileprivate var reason: Int16 {
        switch self {
        case .created: 1
        case .updated: 2
        case .deleted: 3
        }
    }
}
