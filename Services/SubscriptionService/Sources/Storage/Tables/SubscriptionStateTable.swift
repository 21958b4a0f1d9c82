internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient

/// Subscriptions of all users, with what became of their notifications.
struct SubscriptionStateTable: Sendable {
    /// Which subscriptions; what is nil leaves all.
    struct Filter: Sendable {
        var container: String?
        var environment: String?
        var scope: DatabaseScope?
        var user: String?
        var subscriptionID: String?

        /// What a request's keys say.
        ///
        /// - Throws: `BAD_REQUEST` naming the key.
        init(_ json: JSONValue) throws(ServerError) {
            container = try json.text("container")
            environment = try json.text("environment")
            user = try json.text("user")
            subscriptionID = try json.text("subscriptionID")
            scope = try json.text("database").map { name throws(ServerError) in
                guard let scope = DatabaseScope(wireName: name) else {
                    throw .wrongKind("database", expected: "'public', 'private' or 'shared'")
                }
                return scope
            }
        }
    }

    /// Where one stands in the order of all.
    struct Place: Sendable {
        let container: String
        let environment: String
        let scope: Int16
        let user: String
        let subscriptionID: String

        /// A place of those parts.
        init(container: String, environment: String, scope: Int16, user: String, subscriptionID: String) {
            (self.container, self.environment, self.scope) = (container, environment, scope)
            (self.user, self.subscriptionID) = (user, subscriptionID)
        }

        /// Reads what ``text`` wrote; nil when it is something else.
        init?(_ text: String) {
            let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 5, let scope = Int16(parts[2]) else { return nil }
            self.init(
                container: parts[0], environment: parts[1], scope: scope, user: parts[3], subscriptionID: parts[4])
        }

        /// None of the parts has a tabulator.
        var text: String { "\(container)\t\(environment)\t\(scope)\t\(user)\t\(subscriptionID)" }
    }

    /// One of them.
    struct State: Sendable {
        let id: UUID
        let environmentID: Int32
        let container: String
        let environment: String
        let scope: DatabaseScope
        let user: String
        let subscription: Subscription
        /// Whether its moment was taken.
        let isActive: Bool
        let delivered: Int64
        let refused: Int64
        let lastSeq: Int64?
        let lastZone: String?
        /// Milliseconds since 1970.
        let lastAt: Int64?
        /// Milliseconds.
        let lastLag: Int64?
        let lastError: String?
        let lastErrorAt: Int64?

        /// Where it stands.
        var place: Place {
            Place(
                container: container, environment: environment, scope: scope.rawValue, user: user,
                subscriptionID: subscription.subscriptionID.rawValue)
        }
    }

    let pool: PostgresPool

    /// A page of them, in the order of container, environment, database, user and ID, after that place.
    ///
    /// - Throws: `PostgresError`; `ServerError` when what is stored cannot be read. One round trip.
    func read(_ filter: Filter, after: Place?, limit: Int) async throws -> [State] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                Self.statement,
                [
                    .text(filter.container), .text(filter.environment), .int2(filter.scope?.rawValue),
                    .text(filter.user), .text(filter.subscriptionID), .text(after?.container),
                    .text(after?.environment), .int2(after?.scope), .text(after?.user), .text(after?.subscriptionID),
                    .int8(Int64(limit)),
                ])
        }
        return try rows.map { row in
            State(
                id: row.uuid(0), environmentID: row.int32(23), container: row.string(1), environment: row.string(2),
                scope: DatabaseScope(rawValue: row.int16(3)) ?? .private, user: row.string(4),
                subscription: try SubscriptionTable.subscription(row, first: 14), isActive: row.bool(5),
                delivered: row.int64IfPresent(6) ?? 0, refused: row.int64IfPresent(7) ?? 0,
                lastSeq: row.int64IfPresent(8), lastZone: row.stringIfPresent(9), lastAt: row.millisecondsIfPresent(10),
                lastLag: row.int64IfPresent(11), lastError: row.stringIfPresent(12),
                lastErrorAt: row.millisecondsIfPresent(13))
        }
    }

    private static let statement = PostgresStatement(
        """
        select s.id, e.container, e.name, s.scope, s.user_name, s.snapshot is not null, d.delivered, d.refused,
            d.last_seq, d.last_zone, d.last_at, d.last_lag_ms, d.last_error, d.last_error_at,
            \(SubscriptionTable.columns), s.environment
        from subscription.subscription s
        join subscription.environment e on e.id = s.environment
        left join subscription.delivery d on d.id = s.id
        where s.fired_seq is null and ($1::text is null or e.container = $1) and ($2::text is null or e.name = $2)
            and ($3::int2 is null or s.scope = $3) and ($4::text is null or s.user_name = $4)
            and ($5::text is null or s.subscription_id = $5)
            and ($6::text is null
                or (e.container, e.name, s.scope, s.user_name, s.subscription_id) > ($6, $7::text, $8::int2, $9::text, $10))
        order by e.container, e.name, s.scope, s.user_name, s.subscription_id limit $11
        """,
        // Which of the conditions there are decides how it is best done.
        isPrepared: false)
}
