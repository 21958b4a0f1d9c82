internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import OperatorMessages
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SubscriptionStorage

/// `subscriptions.test`, for operators: publishes a notification as if a subscription had fired, and reports the
/// notification's recipients.
struct SubscriptionsTestOperation: Sendable {
    let pool: PostgresPool
    let recipients: RecipientTable
    let send: ConfirmedPublish

    /// Publishes the notification, and answers with its ids and its recipients.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`, or `NOT_FOUND` if the subscription does not exist.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try SubscriptionsTestRequest(request)
        guard let user = body.user else { throw ServerError.missingKey("user") }
        let filter = SubscriptionStateTable.Filter(
            container: body.container, environment: body.environment, scope: body.database, user: user,
            subscriptionID: body.subscriptionID)
        guard let state = try await SubscriptionStateTable(pool: pool).read(filter, after: nil, limit: 1).first else {
            throw ServerError.subscriptionNotFound
        }
        let recipient = RecipientTable.User(environment: state.environmentID, name: state.user)
        let clients = try await recipients.clients(of: [recipient])[recipient] ?? []
        let test = TestNotification(state, clients: clients.map(\.key))
        let result = await send(test.message.withCopies).first
        var answer = SubscriptionsTestRequest.Answer(
            id: test.id.lowercaseText, nid: test.nid.lowercaseText, exchange: test.message.exchange,
            routingKey: test.message.routingKey, routed: (try? result?.get()) != nil, error: nil,
            clients: clients.map { SubscriptionsTestRequest.Client(name: $0.key, clientId: $0.clientID) })
        if case .failure(let error)? = result { answer.error = "\(error.code)" }
        return Answer(answer)
    }
}

/// A notification without a change, with `"test": true`.
struct TestNotification {
    /// The id of the message.
    let id: UUID
    /// The id of the imaginary change.
    let nid: UUID
    let message: AMQPMessage

    /// Creates the notification for a subscription.
    ///
    /// - Parameters:
    ///   - clients: The routing keys of the user's registered clients.
    ///   - now: The time, in milliseconds since 1970.
    init(_ state: SubscriptionStateTable.State, clients: [String], now: Int64 = SystemClock.milliseconds()) {
        nid = UUID()
        id = NotificationID.ofSubscription(state.id, change: nid)
        let notification = UserNotification(
            container: state.container, environment: state.environment, scope: state.scope,
            zone: state.subscription.zoneID.map { ($0.zoneName.rawValue, $0.ownerRecordName?.rawValue ?? state.user) },
            user: state.user, subscriptionID: state.subscription.subscriptionID.rawValue,
            subject: UserNotification.Subject(state.subscription.kind), match: nil,
            info: state.subscription.notificationInfo, badge: nil, clients: clients)
        let members = ChangeNotification.members(
            state.container, state.environment, state.scope, at: now, about: nil)
        var message = notification.message(
            id: id, nid: nid, members: members, ChangeNotification.properties(at: now))
        message.isMandatory = true
        self.message = message
    }
}
