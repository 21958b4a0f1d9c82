internal import CloudKitModel
internal import CloudKitWire
internal import OperatorMessages
internal import PostgresClient
internal import RequestServing
internal import SubscriptionStorage

/// `subscriptions.states`, for operators: the subscriptions of all users with their delivery statistics.
struct SubscriptionStatesOperation: Sendable {
    /// The maximum number of subscriptions in a page.
    private static let maxPage = 1000
    /// The number of subscriptions in a page if the request has no `limit`.
    private static let defaultPage = 200

    let pool: PostgresPool

    /// Answers with a page of the subscriptions that the request selects, ordered by container, environment, database,
    /// user and ID.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try SubscriptionsStatesRequest(request)
        let limit = min(max(1, body.limit ?? Self.defaultPage), Self.maxPage)
        let after = try body.after.map { text throws(ServerError) in
            guard let after = SubscriptionStateTable.Place(text) else {
                throw .wrongKind("after", expected: "the 'after' of an earlier answer")
            }
            return after
        }
        let filter = SubscriptionStateTable.Filter(
            container: body.container, environment: body.environment, scope: body.database, user: body.user,
            subscriptionID: body.subscriptionID)
        let states = try await SubscriptionStateTable(pool: pool).read(filter, after: after, limit: limit + 1)
        return Answer(
            SubscriptionsStatesRequest.Answer(
                subscriptions: try states.prefix(limit).map(SubscriptionDescription.init),
                after: states.count > limit ? states[limit - 1].place.text : nil))
    }
}

extension SubscriptionDescription {
    fileprivate init(_ state: SubscriptionStateTable.State) throws {
        var writer = WireWriter()
        writer.subscription(state.subscription)
        self.init(
            container: state.container, environment: state.environment.rawValue, database: state.scope.wireName,
            user: state.user, subscription: try JSONValue(parsing: writer.bytes),
            state: State(
                isActive: state.isActive, delivered: state.delivered, refused: state.refused, lastSeq: state.lastSeq,
                lastZone: state.lastZone, lastAt: state.lastAt, lastLag: state.lastLag, lastError: state.lastError,
                lastErrorAt: state.lastErrorAt))
    }
}
