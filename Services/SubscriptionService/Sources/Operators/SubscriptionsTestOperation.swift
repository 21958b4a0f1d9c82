internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// `subscriptions.test`, for operators: publishes a notification as if a subscription had fired, and reports its
/// recipients.
struct SubscriptionsTestOperation: Sendable {
    let pool: PostgresPool
    let recipients: RecipientTable
    let send: ConfirmedPublish

    /// Returns the notification's id and its recipients.
    ///
    /// - Throws: `NOT_FOUND` when the subscription does not exist, `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        for key in ["container", "environment", "database", "user", "subscriptionID"] {
            guard try body.text(key) != nil else { throw ServerError.missingKey(key) }
        }
        let filter = try SubscriptionStateTable.Filter(body)
        guard let state = try await SubscriptionStateTable(pool: pool).read(filter, after: nil, limit: 1).first else {
            throw ServerError.subscriptionNotFound
        }
        let user = RecipientTable.User(environment: state.environmentID, name: state.user)
        let clients = try await recipients.clients(of: [user])[user] ?? []
        let test = TestNotification(state, clients: clients.map(\.key))
        let result = await send([test.message]).first
        return Answer { writer in
            writer.member("id", test.id.lowercaseText)
            writer.member("nid", test.nid.lowercaseText)
            writer.member("exchange", test.message.exchange)
            writer.member("routingKey", test.message.routingKey)
            writer.member("routed", (try? result?.get()) != nil)
            if case .failure(let error)? = result { writer.member("error", "\(error.code)") }
            writer.key("clients")
            writer.array(clients) { writer, client in
                writer.object { writer in
                    writer.member("name", client.key)
                    writer.member("clientId", client.clientID)
                }
            }
        }
    }
}

/// A notification without a change, with `"test": true`.
private struct TestNotification {
    /// The ids of the message and of the imaginary change.
    let id: UUID
    let nid: UUID
    let message: AMQPMessage

    init(_ state: SubscriptionStateTable.State, clients: [String]) {
        nid = UUID()
        id = NotificationID.ofSubscription(state.id, change: nid)
        let now = SystemClock.milliseconds()
        let (id, nid) = (id.lowercaseText, nid.lowercaseText)
        var writer = WireWriter()
        writer.object { writer in
            writer.member("id", id)
            writer.member("test", true)
            writer.member("container", state.container)
            writer.member("environment", state.environment.rawValue)
            writer.member("scope", state.scope.wireName)
            writer.member("at", now)
            writer.key("ck")
            writer.object { writer in
                writer.member("ce", 2)
                writer.member("cid", state.container)
                writer.member("nid", nid)
                writer.member("ckuserid", state.user)
                writer.key("aux")
                writer.object { _ in }
                switch state.subscription.kind {
                case .query: writer.key("qry")
                case .zone: writer.key("fet")
                case .database: writer.key("met")
                }
                writer.object { writer in
                    writer.member("sid", state.subscription.subscriptionID.rawValue)
                    if let zone = state.subscription.zoneID {
                        writer.member("zid", zone.zoneName.rawValue)
                        writer.member("zoid", zone.ownerRecordName?.rawValue ?? state.user)
                    }
                    writer.member("dbs", Int(state.scope.rawValue))
                }
            }
            if let aps = state.subscription.notificationInfo?.aps(about: nil, badge: nil) {
                writer.key("aps")
                writer.value(aps)
            }
        }
        var headers: AMQPTable = [
            Header.version: 1, Header.container: .string(state.container),
            Header.environment: .string(state.environment.rawValue), Header.user: .string(state.user),
        ]
        if !clients.isEmpty { headers["BCC"] = .array(clients.map { .string($0) }) }
        message = AMQPMessage(
            exchange: Exchange.notifications,
            routingKey: RoutingKey.userNotification(
                container: state.container, environment: state.environment, user: state.user,
                subscriptionID: state.subscription.subscriptionID.rawValue),
            properties: AMQPProperties(
                messageID: id, contentType: "application/json", timestamp: UInt64(now / 1000), headers: headers),
            body: writer.bytes, isMandatory: true)
    }
}
