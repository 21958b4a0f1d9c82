internal import PostgresClient
internal import ServiceMessages
internal import SignedTokens

/// The statements over the clients that one user has registered in one environment.
///
/// Locks are taken in this order: the request's (``RequestTable``), the user's, the client's.
struct ClientTable: Sendable {
    /// A registration, as ``status(of:)`` finds it.
    struct Registration: Sendable, Equatable {
        /// Where.
        var container: String
        /// `development` or `production`, of the records.
        var environment: String
        /// Whether it is the table's own environment.
        var isHere: Bool
        /// What the client calls itself.
        var clientID: String?
        /// The token's.
        var apnsEnvironment: String
        /// Notifications that the queue had no room for since it was registered.
        var dropped: Int64
        /// When the last of them was counted, milliseconds since 1970.
        var droppedAt: Int64?
        /// Until when it is served, milliseconds since 1970.
        var expiresAt: Int64
    }

    private let environment: Int32
    private let user: String

    /// The clients of the acting user in the addressed environment.
    init(environment: Int32, context: RequestContext) {
        self.environment = environment
        user = context.user
    }

    private var owner: [PostgresParameter] { [.int4(environment), .text(user)] }

    /// Keeps other registrations by the user out until the transaction ends, so that the number of clients is exact.
    func lock() -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtextextended('zonda clients ' || $1, $2))",
            [.text(user), .int8(Int64(environment))])
    }

    /// Keeps whoever would remove a client's queue out until the transaction ends: see ``ExpiredClients``.
    static func lock(_ name: String) -> PostgresCall {
        PostgresCall(PostgresStatement("select pg_advisory_xact_lock(\(lockKey))"), [.text(name)])
    }

    private static let lockKey = "hashtextextended('zonda client ' || $1, 0)"

    /// How many others than `name` are registered.
    func count(without name: String) -> PostgresCall {
        PostgresCall(
            """
            select count(*) from subscription.client c
            where c.environment = $1 and c.user_name = $2 and c.expires_at > now() and c.name <> $3
            """, owner + [.text(name)])
    }

    /// Registers a token for `milliseconds` from now, or once more. A client that does not say what it is called keeps
    /// what it said. It ends with the sign-in that registered it last.
    func save(_ token: ClientToken, clientID: String?, session: String?, milliseconds: Int64) -> PostgresCall {
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

    /// Finds a row when `name` is registered.
    func find(_ name: String) -> PostgresCall {
        PostgresCall(
            """
            select 1 from subscription.client c
            where c.environment = $1 and c.user_name = $2 and c.name = $3 and c.expires_at > now()
            """, owner + [.text(name)])
    }

    /// Finds the user's registrations of `name`, in whatever environment.
    func status(of name: String) -> PostgresCall {
        PostgresCall(
            """
            select e.container, e.name, c.environment = $1, c.client_id, c.apns_environment, c.dropped, c.dropped_at,
                c.expires_at
            from subscription.client c
            cross join lateral (select * from subscription.environment e where e.id = c.environment offset 0) e
            where c.name = $3 and c.user_name = $2 and c.expires_at > now() order by e.container, e.name
            """, owner + [.text(name)])
    }

    /// What ``status(of:)`` found.
    static func registrations(_ result: PostgresResult) -> [Registration] {
        result.map { row in
            Registration(
                container: row.string(0), environment: row.string(1), isHere: row.bool(2),
                clientID: row.stringIfPresent(3), apnsEnvironment: row.string(4), dropped: row.int64(5),
                droppedAt: row.millisecondsIfPresent(6), expiresAt: row.milliseconds(7))
        }
    }

    // MARK: All users' clients

    /// Adds to the drops of clients, each name once. Whoever registered a token is told of all that its queue dropped.
    static func add(_ drops: [String: Int]) -> PostgresCall {
        let names = drops.keys.sorted()
        // Locked in the same order by every instance: they wait for one another instead of blocking each other.
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

    /// Finds the names of some clients of which a registration has expired.
    static func expired(limit: Int) -> PostgresCall {
        PostgresCall(
            """
            select distinct c.name from (select c.name from subscription.client c where c.expires_at <= now()
                order by c.expires_at limit $1) c
            """, [.int8(Int64(limit))])
    }

    /// Locks a name as ``lock(_:)`` does, or finds false when another has it.
    static func tryLock(_ name: String) -> PostgresCall {
        PostgresCall(PostgresStatement("select pg_try_advisory_xact_lock(\(lockKey))"), [.text(name)])
    }

    /// Removes the registrations of `name` that have expired.
    static func removeExpired(_ name: String) -> PostgresCall {
        PostgresCall(
            "delete from subscription.client c where c.name = $1 and c.expires_at <= now()", [.text(name)])
    }

    /// Finds a row when anybody has registered `name`.
    static func findAny(_ name: String) -> PostgresCall {
        PostgresCall("select 1 from subscription.client c where c.name = $1 limit 1", [.text(name)])
    }

    /// How many clients are registered, each once.
    static let countAll = PostgresCall(
        "select count(distinct c.name) from subscription.client c where c.expires_at > now()")
}
