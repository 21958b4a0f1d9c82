package import PostgresClient
package import ServiceMessages
package import SignedTokens

/// The SQL statements for the clients that one user has registered in one environment.
///
/// Locks are taken in this order: the request's lock (`RequestTable`), the user's lock, the client's lock.
package struct ClientTable: Sendable {
    /// A registration, as ``status(of:)`` reads it.
    package struct Registration: Sendable, Equatable {
        /// The container.
        package var container: String
        /// The environment of the records: `development` or `production`.
        package var environment: String
        /// Whether ``container`` and ``environment`` are the container and environment of this table.
        package var isHere: Bool
        /// The name that the client chose for itself; nil if it sent none.
        package var clientID: String?
        /// The token's push environment.
        package var apnsEnvironment: String
        /// The number of notifications that were dropped from the client's full queue since the registration.
        package var dropped: Int64
        /// When ``dropped`` last increased, in milliseconds since 1970; nil if it never has.
        package var droppedAt: Int64?
        /// When the registration expires, in milliseconds since 1970.
        package var expiresAt: Int64
    }

    private let environment: Int32
    private let user: String

    /// Creates the statements for the clients of a request's user in the request's environment, whose id is
    /// `environment`.
    package init(environment: Int32, context: RequestContext) {
        self.environment = environment
        user = context.user
    }

    private var owner: [PostgresParameter] { [.int4(environment), .text(user)] }

    /// Blocks other registrations by the user until the transaction ends, so that the number of clients is exact.
    package func lock() -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtextextended('zonda clients ' || $1, $2))",
            [.text(user), .int8(Int64(environment))])
    }

    /// Blocks the removal of a client's queue until the transaction ends.
    package static func lock(_ name: String) -> PostgresCall {
        PostgresCall(PostgresStatement("select pg_advisory_xact_lock(\(lockKey))"), [.text(name)])
    }

    private static let lockKey = "hashtextextended('zonda client ' || $1, 0)"

    /// Counts the registered clients other than `name`.
    package func count(without name: String) -> PostgresCall {
        PostgresCall(
            """
            select count(*) from subscription.client c
            where c.environment = $1 and c.user_name = $2 and c.expires_at > now() and c.name <> $3
            """, owner + [.text(name)])
    }

    /// Registers a token, or renews its registration, for `milliseconds` from now. If `clientID` is nil, the stored id
    /// is kept. The registration ends with `session`, the session in which it was made or last renewed.
    package func save(_ token: ClientToken, clientID: String?, session: String?, milliseconds: Int64) -> PostgresCall {
        PostgresCall(
            """
            insert into subscription.client as c
                (environment, user_name, name, client_id, apns_environment, expires_at, session)
            values ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond', $7)
            on conflict (name, environment, user_name) do update set
                client_id = coalesce(excluded.client_id, c.client_id), expires_at = excluded.expires_at,
                session = excluded.session
            """,
            owner + [
                .text(token.name), .text(clientID), .text(token.environment.rawValue), .float8(Double(milliseconds)),
                .text(session),
            ])
    }

    /// Checks whether the user has registered `name`. The result has one row if so, and none otherwise.
    package func find(_ name: String) -> PostgresCall {
        PostgresCall(
            """
            select 1 from subscription.client c
            where c.environment = $1 and c.user_name = $2 and c.name = $3 and c.expires_at > now()
            """, owner + [.text(name)])
    }

    /// Reads the user's registrations of `name` in all environments.
    package func status(of name: String) -> PostgresCall {
        PostgresCall(
            """
            select e.container, e.name, c.environment = $1, c.client_id, c.apns_environment, c.dropped, c.dropped_at,
                c.expires_at
            from subscription.client c
            cross join lateral (select * from subscription.environment e where e.id = c.environment offset 0) e
            where c.name = $3 and c.user_name = $2 and c.expires_at > now() order by e.container, e.name
            """, owner + [.text(name)])
    }

    /// Decodes the result of ``status(of:)``.
    package static func registrations(_ result: PostgresResult) -> [Registration] {
        result.map { row in
            Registration(
                container: row.string(0), environment: row.string(1), isHere: row.bool(2),
                clientID: row.stringIfPresent(3), apnsEnvironment: row.string(4), dropped: row.int64(5),
                droppedAt: row.millisecondsIfPresent(6), expiresAt: row.milliseconds(7))
        }
    }

    // MARK: Clients of all users

    /// Adds the numbers of dropped notifications, keyed by client name, to the clients' registrations. Each
    /// registration of a token counts all drops from the token's queue.
    package static func add(_ drops: [String: Int]) -> PostgresCall {
        let names = drops.keys.sorted()
        // Every instance locks rows in the same order, so that instances cannot deadlock.
        return PostgresCall(
            """
            with locked as materialized (
                select c.name, c.environment, c.user_name, k.count
                from unnest($1::text[], $2::int8[]) as k(name, count)
                cross join lateral (select * from subscription.client c where c.name = k.name
                    order by c.environment, c.user_name for no key update) c)
            update subscription.client c set dropped = c.dropped + l.count, dropped_at = now()
            from locked l
            where c.name = l.name and c.environment = l.environment and c.user_name = l.user_name
            """, [.textArray(names), .int8Array(names.map { Int64(drops[$0] ?? 0) })])
    }

    /// Reads the names of the clients of up to `limit` expired registrations, without duplicates.
    package static func expired(limit: Int) -> PostgresCall {
        PostgresCall(
            """
            select distinct c.name from (select c.name from subscription.client c where c.expires_at <= now()
                order by c.expires_at limit $1) c
            """, [.int8(Int64(limit))])
    }

    /// Takes the lock of ``lock(_:)`` without waiting. The result is false if another transaction holds the lock.
    package static func tryLock(_ name: String) -> PostgresCall {
        PostgresCall(PostgresStatement("select pg_try_advisory_xact_lock(\(lockKey))"), [.text(name)])
    }

    /// Removes the expired registrations of `name`.
    package static func removeExpired(_ name: String) -> PostgresCall {
        PostgresCall(
            "delete from subscription.client c where c.name = $1 and c.expires_at <= now()", [.text(name)])
    }

    /// Checks whether any user has registered `name`. The result has one row if so, and none otherwise.
    package static func findAny(_ name: String) -> PostgresCall {
        PostgresCall("select 1 from subscription.client c where c.name = $1 limit 1", [.text(name)])
    }

    /// Counts the registered clients. A client with several registrations is counted once.
    package static let countAll = PostgresCall(
        "select count(distinct c.name) from subscription.client c where c.expires_at > now()")
}
