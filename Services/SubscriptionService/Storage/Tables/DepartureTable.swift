package import PostgresClient

/// The removal of users' clients, subscriptions and badges when sessions end or users are removed.
package struct DepartureTable: Sendable {
    /// The users and sessions whose clients are removed.
    package struct Selection: Sendable, Equatable {
        /// The only container in which the users' clients are removed; nil for all containers.
        package let container: String?
        /// The only environment in which the users' clients are removed; nil for both environments.
        package let environment: String?
        /// The users.
        package let users: [String]
        /// The sessions that have ended. Their registered clients are removed in every environment.
        package let sessions: [String]

        /// Creates a selection.
        package init(container: String?, environment: String?, users: [String], sessions: [String]) {
            (self.container, self.environment) = (container, environment)
            (self.users, self.sessions) = (users, sessions)
        }
    }

    /// The result of a removal.
    package struct Removed: Sendable {
        /// The names of the clients whose registrations were ended.
        package let clients: Set<String>
        /// The number of registrations that were ended.
        package let registrations: Int
        /// The number of subscriptions that were removed.
        package let subscriptions: Int
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Ends the selected sessions and lets the selected registrations expire, so that notifications are no longer
    /// addressed to their clients. Also removes the users' subscriptions and badges if `removesSubscriptions` is true.
    /// Runs in one transaction, whose statements are sent in one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func remove(_ selection: Selection, removesSubscriptions: Bool) async throws -> Removed {
        try await pool.withTransaction { connection in
            let ended = SessionTable.end(selection.sessions)
            let removed = removesSubscriptions ? [removeSubscriptions(selection), removeBadges(selection)] : []
            let results = try await connection.pipeline(ended + [expire(selection)] + removed)
            let expired = results[ended.count].map { $0.string(0) }
            return Removed(
                clients: Set(expired), registrations: expired.count,
                subscriptions: removesSubscriptions ? results[ended.count + 1].affectedRows : 0)
        }
    }

    private func parameters(_ selection: Selection) -> [PostgresParameter] {
        [.text(selection.container), .text(selection.environment), .textArray(selection.users)]
    }

    /// The selected environments. They are found through an index if the selection names a container.
    private static let environments = """
        (select e.id from subscription.environment e
            where ($1::text is null or e.container = $1) and ($2::text is null or e.name = $2)) e
        """

    private func expire(_ selection: Selection) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with found as (
                    select c.name, c.environment, c.user_name from \(Self.environments)
                    cross join lateral (select * from subscription.client c
                        where c.environment = e.id and c.user_name = any($3::text[]) offset 0) c
                    union
                    select c.name, c.environment, c.user_name from subscription.client c where c.session = any($4::text[])
                ), locked as (
                    select c.name, c.environment, c.user_name from subscription.client c
                    where (c.name, c.environment, c.user_name) in (select * from found)
                    order by c.name, c.environment, c.user_name for no key update)
                update subscription.client c set expires_at = now()
                from locked l
                where c.name = l.name and c.environment = l.environment and c.user_name = l.user_name
                returning c.name
                """), parameters(selection) + [.textArray(selection.sessions)])
    }

    private func removeSubscriptions(_ selection: Selection) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with held as (
                    select s.id from subscription.subscription s
                    where s.environment in (select e.id from \(Self.environments)) and s.scope in (1, 2)
                        and s.user_name = any($3::text[])
                    order by s.id for update)
                delete from subscription.subscription s using held h where s.id = h.id
                """), parameters(selection))
    }

    private func removeBadges(_ selection: Selection) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from subscription.badge b
                where b.environment in (select e.id from \(Self.environments)) and b.user_name = any($3::text[])
                """), parameters(selection))
    }
}
