internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// The messages that tell of one change: the zone's, and one for each subscription (DESIGN 4, web-services 8.3).
struct ZoneNotification: Sendable {
    /// Past this many bytes a notification says `"records": null`: read the feed.
    static let maxRecordsBytes = 1 << 20

    private let change: ZoneChange
    /// `ck.nid`, one for all subscriptions.
    private let nid: UUID
    /// The members that all messages have, as JSON without braces.
    private let members: [UInt8]
    private let properties: AMQPProperties

    /// What tells of `change`. No field value is in it.
    init(_ change: ZoneChange) {
        self.change = change
        nid = NotificationID.ofChange(change)
        members = Self.members(change)
        // The client that made the change is named, so that a consumer can leave its own changes out. The notification
        // is sent all the same: it is for every device of the user.
        var headers: AMQPTable = [Header.version: 1]
        if let client = change.event.client { headers[Header.client] = .string(client) }
        headers.set(change.event.trace)
        properties = AMQPProperties(
            contentType: "application/json", timestamp: UInt64(max(0, change.event.at) / 1000), headers: headers)
    }

    /// The zone's message.
    func message() -> AMQPMessage {
        message(id: NotificationID.ofZone(change), key: RoutingKey.zoneNotification(change.event.address)) { _ in }
    }

    /// The message of one subscription.
    func message(for watcher: Watcher) -> AMQPMessage {
        let address = change.event.address
        let key = RoutingKey.userNotification(
            container: address.container, environment: address.environment, user: watcher.user,
            subscriptionID: watcher.subscriptionID)
        return message(id: NotificationID.ofSubscription(watcher.id, change: nid), key: key) { writer in
            writer.key("ck")
            writer.object { writer in
                writer.member("ce", 2)
                writer.member("cid", address.container)
                writer.member("nid", nid.lowercaseText)
                writer.member("ckuserid", watcher.user)
                writer.key("aux")
                writer.object { _ in }
                writer.key("fet")
                writer.object { writer in
                    writer.member("sid", watcher.subscriptionID)
                    writer.member("zid", address.zone)
                    writer.member("zoid", address.owner)
                    writer.member("dbs", DatabaseScope(wireName: address.scope).map { Int($0.rawValue) })
                }
            }
            if let aps = watcher.aps {
                writer.key("aps")
                writer.raw(aps)
            }
        }
    }

    private func message(id: UUID, key: String, _ more: (inout WireWriter) -> Void) -> AMQPMessage {
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

    private static func members(_ change: ZoneChange) -> [UInt8] {
        let event = change.event
        var writer = WireWriter()
        writer.member("container", event.address.container)
        writer.member("environment", event.address.environment)
        writer.member("scope", event.address.scope)
        writer.member("owner", event.address.owner)
        writer.member("zone", event.address.zone)
        writer.member("incarnation", event.incarnation.lowercaseText)
        writer.member("fromSeq", event.fromSeq)
        writer.member("toSeq", event.toSeq)
        writer.member("syncToken", event.syncToken)
        writer.member("at", event.at)
        if event.isMerged { writer.member("merged", true) }
        var records = WireWriter()
        records.array(change.records ?? []) { writer, record in
            writer.object { writer in
                writer.member("recordName", record.name)
                writer.member("recordType", record.type)
                writer.member("change", record.kind.rawValue)
            }
        }
        writer.key("records")
        if records.bytes.count <= maxRecordsBytes { writer.raw(records.bytes) } else { writer.null() }
        return writer.bytes
    }
}
