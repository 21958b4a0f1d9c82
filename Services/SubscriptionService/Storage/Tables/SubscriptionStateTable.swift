package import CloudKitModel
internal import CloudKitWire
package import Foundation
package import PostgresClient

/// The subscriptions of all users with their delivery statistics.
package struct SubscriptionStateTable: Sendable {
    /// A filter that selects the subscriptions that match all of its non-nil properties.
    package struct Filter: Sendable {
        package var container: String?
        package var environment: String?
        package var scope: DatabaseScope?
        package var user: String?
        package var subscriptionID: String?

        /// Creates a filter.
        package init(
            container: String?, environment: String?, scope: DatabaseScope?, user: String?, subscriptionID: String?
        ) {
            (self.container, self.environment, self.scope) = (container, environment, scope)
            (self.user, self.subscriptionID) = (user, subscriptionID)
        }
    }

    /// The position of a subscription in the order of all subscriptions.
    package struct Place: Sendable {
        package let container: String
        package let environment: String
        package let scope: Int16
        package let user: String
        package let subscriptionID: String

        /// Creates a position.
        package init(container: String, environment: String, scope: Int16, user: String, subscriptionID: String) {
            (self.container, self.environment, self.scope) = (container, environment, scope)
            (self.user, self.subscriptionID) = (user, subscriptionID)
        }

        /// Parses the ``text`` of a position; returns nil if it is malformed.
        package init?(_ text: String) {
            let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 5, let scope = Int16(parts[2]) else { return nil }
            self.init(
                container: parts[0], environment: parts[1], scope: scope, user: parts[3], subscriptionID: parts[4])
        }

        /// The position as text, with tabs between its parts. No part contains a tab.
        package var text: String { "\(container)\t\(environment)\t\(scope)\t\(user)\t\(subscriptionID)" }
    }

    /// A subscription and its delivery statistics.
    package struct State: Sendable {
        package let id: UUID
        package let environmentID: Int32
        package let container: String
        package let environment: EnvironmentName
        package let scope: DatabaseScope
        package let user: String
        package let subscription: Subscription
        /// Whether the subscription's moment has been set. Until then, the subscription is pending.
        package let isActive: Bool
        package let delivered: Int64
        package let refused: Int64
        package let lastSeq: Int64?
        package let lastZone: String?
        /// The time of the last notification, in milliseconds since 1970.
        package let lastAt: Int64?
        /// The delay of the last notification after the commit of its change, in milliseconds.
        package let lastLag: Int64?
        package let lastError: String?
        /// The time of the last error, in milliseconds since 1970.
        package let lastErrorAt: Int64?

        /// The subscription's position.
        package var place: Place {
            Place(
                container: container, environment: environment.rawValue, scope: scope.rawValue, user: user,
                subscriptionID: subscription.subscriptionID.rawValue)
        }
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Reads up to `limit` subscriptions, ordered by container, environment, database, user and ID, starting after a
    /// position. Takes one round trip.
    ///
    /// - Throws: `PostgresError`, `StoredValueError`, or `ServerError` if a stored subscription cannot be parsed.
    package func read(_ filter: Filter, after: Place?, limit: Int) async throws -> [State] {
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
                id: row.uuid(0), environmentID: row.int32(23), container: row.string(1),
                environment: try EnvironmentName(stored: row.string(2), column: "subscription.environment.name"),
                scope: try DatabaseScope(stored: row.int16(3), column: "subscription.subscription.scope"),
                user: row.string(4),
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
        // The best plan depends on which conditions are given.
        isPrepared: false)
}
