internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The notification that a subscription sends to its user, for a change or as a test. This type adds CloudKit's
/// members, the headers and the routing key (web-services 8.3).
struct UserNotification {
    /// The member of `ck` that names the subscription.
    enum Subject { case fet, met, qry }

    /// The container.
    let container: String
    /// The environment.
    let environment: EnvironmentName
    /// The database.
    let scope: DatabaseScope
    /// The zone and its owner; nil in a test of a subscription that names no zone.
    let zone: (name: String, owner: String)?
    /// The user who saved the subscription.
    let user: String
    /// The subscription's name.
    let subscriptionID: String
    /// The member of `ck` that names the subscription.
    let subject: Subject
    /// The record that a query subscription matched; nil if the notification is not about one record.
    let match: Firing.Match?
    /// How the notification is shown; nil if it carries no text, sound or badge.
    let info: NotificationInfo?
    /// The number on the app's icon; nil if it does not change.
    let badge: Int?
    /// The routing keys of the user's registered clients that receive the notification.
    let clients: [String]

    /// Returns the message.
    ///
    /// - Parameters:
    ///   - id: The message's id.
    ///   - nid: The change's id, `ck.nid`.
    ///   - members: The members about the change, as ``ChangeNotification/members(_:_:_:at:about:)`` writes them.
    ///   - properties: The properties that all notifications about the change share.
    func message(id: UUID, nid: UUID, members: [UInt8], _ properties: AMQPProperties) -> AMQPMessage {
        var properties = properties
        properties.headers[Header.container] = .string(container)
        properties.headers[Header.environment] = .string(environment.rawValue)
        properties.headers[Header.user] = .string(user)
        if !clients.isEmpty { properties.headers["BCC"] = .array(clients.map { .string($0) }) }
        let key = RoutingKey.userNotification(
            container: container, environment: environment, user: user, subscriptionID: subscriptionID)
        return AMQPMessage(notification: id, key: key, members: members, properties) { writer in
            writer.key("ck")
            writer.object { writer in
                writer.member("ce", 2)
                writer.member("cid", container)
                writer.member("nid", nid.lowercaseText)
                writer.member("ckuserid", user)
                writer.key("aux")
                writer.object { _ in }
                switch subject {
                case .fet: writer.key("fet")
                case .met: writer.key("met")
                case .qry: writer.key("qry")
                }
                writer.object { writeSubject(to: &$0) }
            }
            if let aps = info?.aps(about: match?.values, badge: badge) {
                writer.key("aps")
                writer.value(aps)
            }
            writer.member("collapseID", info?.collapseID(about: match?.values))
        }
    }

    private func writeSubject(to writer: inout WireWriter) {
        writer.member("sid", subscriptionID)
        if let match {
            writer.member("rid", match.record.name)
            writer.member("fo", Int(match.record.kind.reason))
        }
        if let zone {
            writer.member("zid", zone.name)
            // The default zone of the public database has no owner; CloudKit names the recipient instead.
            writer.member("zoid", zone.owner == ZoneAddress.publicOwner ? user : zone.owner)
        }
        writer.member("dbs", Int(scope.rawValue))
        if let values = match?.values, let fields = info?.additionalFields(of: values) {
            writer.key("af")
            writer.value(fields)
        }
    }
}

extension UserNotification.Subject {
    /// The subject of a stored subscription.
    init(_ kind: StoredSubscription.Kind) {
        switch kind {
        case .zone: self = .fet
        case .database: self = .met
        case .query: self = .qry
        }
    }

    /// The subject of a subscription as its user saved it.
    init(_ kind: Subscription.Kind) {
        switch kind {
        case .zone: self = .fet
        case .database: self = .met
        case .query: self = .qry
        }
    }
}

extension AMQPMessage {
    /// Creates a notification from its id, the members about its change, and the members that `more` writes.
    init(
        notification id: UUID, key: String, members: [UInt8], _ properties: AMQPProperties,
        _ more: (inout WireWriter) -> Void
    ) {
        let id = id.lowercaseText
        var writer = WireWriter(capacity: members.count + 512)
        writer.object { writer in
            writer.member("id", id)
            writer.raw(members)
            more(&writer)
        }
        var properties = properties
        properties.messageID = id
        self.init(exchange: Exchange.notifications, routingKey: key, properties: properties, body: writer.bytes)
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
