internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
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

    /// Returns a page of the subscriptions that the request's keys select, in the order of container, environment,
    /// database, user and ID.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let filter = try SubscriptionStateTable.Filter(body)
        let limit = try min(max(1, body.whole("limit") ?? Self.defaultPage), Self.maxPage)
        let after = try body.text("after").map { text throws(ServerError) in
            guard let after = SubscriptionStateTable.Place(text) else {
                throw .wrongKind("after", expected: "an answer's 'after'")
            }
            return after
        }
        let states = try await SubscriptionStateTable(pool: pool).read(filter, after: after, limit: limit + 1)
        return Answer { writer in
            writer.key("subscriptions")
            writer.array(Array(states.prefix(limit))) { writer, state in writer.state(state) }
            if states.count > limit { writer.member("after", states[limit - 1].place.text) }
        }
    }
}

extension SubscriptionStateTable.Filter {
    /// Reads a filter from the keys of a request.
    ///
    /// - Throws: `BAD_REQUEST` that names the key.
    init(_ json: JSONValue) throws(ServerError) {
        let (container, environment) = (try json.text("container"), try json.text("environment"))
        let (user, subscriptionID) = (try json.text("user"), try json.text("subscriptionID"))
        let scope = try json.text("database").map { name throws(ServerError) in
            guard let scope = DatabaseScope(wireName: name) else {
                throw .wrongKind("database", expected: "'public', 'private' or 'shared'")
            }
            return scope
        }
        self.init(
            container: container, environment: environment, scope: scope, user: user, subscriptionID: subscriptionID)
    }
}

extension WireWriter {
    fileprivate mutating func state(_ state: SubscriptionStateTable.State) {
        object { writer in
            writer.member("container", state.container)
            writer.member("environment", state.environment.rawValue)
            writer.member("database", state.scope.wireName)
            writer.member("user", state.user)
            writer.key("subscription")
            writer.subscription(state.subscription)
            writer.key("state")
            writer.object { writer in
                writer.member("isActive", state.isActive)
                writer.member("delivered", state.delivered)
                writer.member("refused", state.refused)
                writer.member("lastSeq", state.lastSeq)
                writer.member("lastZone", state.lastZone)
                writer.member("lastAt", state.lastAt)
                writer.member("lastLag", state.lastLag)
                writer.member("lastError", state.lastError)
                writer.member("lastErrorAt", state.lastErrorAt)
            }
        }
    }
}
