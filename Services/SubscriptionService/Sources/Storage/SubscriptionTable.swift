internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import ServiceMessages

/// The statements over one user's subscriptions in one database.
struct SubscriptionTable: Sendable {
    private let environment: Int32
    private let scope: DatabaseScope
    private let user: String

    /// The subscriptions of the acting user in the addressed database.
    init(environment: Int32, context: RequestContext) {
        self.environment = environment
        scope = context.scope
        user = context.user
    }

    private static let isOwn = "s.environment = $1 and s.scope = $2 and s.user_name = $3"
    private static let columns = "s.subscription_id, s.zone_owner, s.zone_name, s.notification_info"
    private var owner: [PostgresParameter] { [.int4(environment), .int2(scope.rawValue), .text(user)] }

    /// Keeps other requests of the user out until the transaction ends, so that the number of subscriptions is exact.
    func lock() -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtextextended('zonda subscriptions ' || $1, $2))",
            [.text(user), .int8(Int64(environment))])
    }

    /// How many there are.
    func count() -> PostgresCall {
        PostgresCall(
            PostgresStatement("select count(*) from subscription.subscription s where \(Self.isOwn)"), owner)
    }

    /// All of them, in the order of their IDs.
    func list() -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns) from subscription.subscription s where \(Self.isOwn) order by s.subscription_id
                """), owner)
    }

    /// Those of the given IDs, in no order.
    func read(_ subscriptionIDs: [String]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns) from unnest($4::text[]) as k(subscription_id)
                cross join lateral (select * from subscription.subscription s
                    where \(Self.isOwn) and s.subscription_id = k.subscription_id offset 0) s
                """), owner + [.textArray(subscriptionIDs)])
    }

    /// The subscriptions that ``list()`` or ``read(_:)`` found.
    ///
    /// - Throws: `ServerError` when what is stored cannot be read.
    static func subscriptions(_ result: PostgresResult) throws -> [Subscription] {
        try result.map { row in
            Subscription(
                subscriptionID: row.string(0),
                zoneID: ZoneID(
                    zoneName: ZoneName(unchecked: row.string(2)), ownerRecordName: UserName(unchecked: row.string(1))),
                notificationInfo: try row.jsonbIfPresent(3).map { try NotificationInfo(JSONValue(parsing: $0)) })
        }
    }

    /// Removes those of the given IDs.
    func delete(_ subscriptionIDs: [String]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                "delete from subscription.subscription s where \(Self.isOwn) and s.subscription_id = any($4)"),
            owner + [.textArray(subscriptionIDs)])
    }

    /// Saves subscriptions, each ID once. One that watches the same zone as before keeps its moment; another is pending
    /// until ``complete()``.
    func save(_ subscriptions: [Subscription]) -> PostgresCall {
        PostgresCall(
            """
            insert into subscription.subscription as s
                (environment, scope, user_name, subscription_id, zone_owner, zone_name, notification_info)
            select $1, $2, $3, * from unnest($4::text[], $5::text[], $6::text[], $7::jsonb[])
            on conflict (environment, scope, user_name, subscription_id) do update set
                snapshot = case when s.zone_owner = excluded.zone_owner and s.zone_name = excluded.zone_name
                    then s.snapshot end,
                zone_owner = excluded.zone_owner, zone_name = excluded.zone_name,
                notification_info = excluded.notification_info
            """,
            owner + [
                .textArray(subscriptions.map(\.subscriptionID)),
                .textArray(subscriptions.map { $0.zoneID.ownerRecordName?.rawValue ?? user }),
                .textArray(subscriptions.map(\.zoneID.zoneName.rawValue)),
                .jsonbArray(subscriptions.map { $0.notificationInfo?.json.encoded() }),
            ])
    }

    /// Takes the moment of those that are pending: see ``WatcherTable``.
    func complete() -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                update subscription.subscription s set snapshot = pg_current_snapshot()
                where \(Self.isOwn) and s.snapshot is null
                """), owner)
    }
}
