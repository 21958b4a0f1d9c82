internal import CloudKitModel
internal import CloudKitWire
package import PostgresClient
package import ServiceMessages

/// The SQL statements for the subscriptions of one user in one database.
package struct SubscriptionTable: Sendable {
    private let environment: Int32
    private let scope: DatabaseScope
    private let user: String

    /// Creates the statements for the subscriptions of a request's user in the request's database. `environment` is the
    /// environment's id.
    package init(environment: Int32, context: RequestContext) {
        self.environment = environment
        scope = context.scope
        user = context.user
    }

    private static let isOwn = "s.environment = $1 and s.scope = $2 and s.user_name = $3"
    /// A subscription that fires once and has fired counts as deleted.
    private static let isAlive = "s.fired_seq is null"
    static let columns = """
        s.subscription_id, s.zone_owner, s.zone_name, s.notification_info, s.kind, s.record_type, s.query, s.fires_on,
        s.fires_once
        """
    private var owner: [PostgresParameter] { [.int4(environment), .int2(scope.rawValue), .text(user)] }

    /// Blocks other requests from the user until the transaction ends, so that the number of subscriptions is exact.
    package func lock() -> PostgresCall {
        PostgresCall(
            "select pg_advisory_xact_lock(hashtextextended('zonda subscriptions ' || $1, $2))",
            [.text(user), .int8(Int64(environment))])
    }

    /// Locks the rows with the given IDs until the transaction ends, so that no subscription that fires once can fire
    /// in the meantime. All statements lock rows in order of their ids.
    package func hold(_ subscriptionIDs: [SubscriptionID]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select s.id from subscription.subscription s where \(Self.isOwn) and s.subscription_id = any($4)
                order by s.id for no key update
                """), owner + [.textArray(subscriptionIDs.map(\.rawValue))])
    }

    /// The condition for a query subscription whose predicate does not require any field to equal a value.
    private static let isUnselective = "(s.kind = 1 and s.term_key = 0)"

    /// Counts all subscriptions and, separately, those whose predicates do not require any field to equal a value.
    package func count() -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select count(*), count(*) filter (where \(Self.isUnselective)) from subscription.subscription s
                where \(Self.isOwn) and \(Self.isAlive)
                """), owner)
    }

    /// Reads which of the given IDs are stored and whether each of these subscriptions is unselective, in no particular
    /// order.
    package func names(_ subscriptionIDs: [SubscriptionID]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select s.subscription_id, \(Self.isUnselective) from subscription.subscription s
                where \(Self.isOwn) and s.subscription_id = any($4) and \(Self.isAlive)
                """), owner + [.textArray(subscriptionIDs.map(\.rawValue))])
    }

    /// Reads all subscriptions, in order of their IDs.
    package func list() -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns) from subscription.subscription s where \(Self.isOwn) and \(Self.isAlive)
                order by s.subscription_id
                """), owner)
    }

    /// Reads the subscriptions with the given IDs, in no particular order.
    package func read(_ subscriptionIDs: [SubscriptionID]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns) from unnest($4::text[]) as k(subscription_id)
                cross join lateral (select * from subscription.subscription s
                    where \(Self.isOwn) and s.subscription_id = k.subscription_id and \(Self.isAlive) offset 0) s
                """), owner + [.textArray(subscriptionIDs.map(\.rawValue))])
    }

    /// Decodes the result of ``list()`` or ``read(_:)``.
    ///
    /// - Throws: `ServerError` if a stored subscription cannot be parsed.
    package static func subscriptions(_ result: PostgresResult) throws -> [Subscription] {
        try result.map { try subscription($0) }
    }

    /// Decodes the subscription in a row whose ``columns`` begin at `first`.
    ///
    /// - Throws: `ServerError` if the stored subscription cannot be parsed.
    static func subscription(_ row: PostgresRow, first: Int = 0) throws -> Subscription {
        let (owner, zone) = (row.string(first + 1), row.string(first + 2))
        let zoneID = ZoneID(
            zoneName: ZoneName(unchecked: zone),
            ownerRecordName: owner == ZoneAddress.publicOwner ? nil : UserName(unchecked: owner))
        let recordType = row.stringIfPresent(first + 5)
        let kind: Subscription.Kind
        switch row.int16(first + 4) {
        case 1:
            kind = .query(
                WatchedQuery(
                    dictionary: try row.jsonbIfPresent(first + 6).map { try JSONValue(parsing: $0) } ?? .null,
                    recordType: recordType ?? "", zoneID: zone.isEmpty ? nil : zoneID,
                    firesOn: FiringEvents(rawValue: row.int16IfPresent(first + 7) ?? 0),
                    firesOnce: row.bool(first + 8)))
        case 2: kind = .zone(zoneID, recordType: recordType)
        default: kind = .database(recordType: recordType)
        }
        return Subscription(
            subscriptionID: SubscriptionID(unchecked: row.string(first)), kind: kind,
            notificationInfo: try row.jsonbIfPresent(first + 3).map { try NotificationInfo(JSONValue(parsing: $0)) })
    }

    /// Removes the subscriptions with the given IDs.
    package func delete(_ subscriptionIDs: [SubscriptionID]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                "delete from subscription.subscription s where \(Self.isOwn) and s.subscription_id = any($4)"),
            owner + [.textArray(subscriptionIDs.map(\.rawValue))])
    }

    /// Removes the subscriptions with the given IDs that fire once and have fired. If such a subscription is then saved
    /// again, it is a new subscription.
    package func deleteFired(_ subscriptionIDs: [SubscriptionID]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from subscription.subscription s
                where \(Self.isOwn) and s.subscription_id = any($4) and not (\(Self.isAlive))
                """), owner + [.textArray(subscriptionIDs.map(\.rawValue))])
    }

    /// Saves subscriptions with distinct IDs. A subscription that fires for the same changes as before keeps its
    /// moment. Every other subscription remains pending until ``complete()``.
    package func save(_ subscriptions: [Subscription]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                insert into subscription.subscription as s
                    (environment, scope, user_name, subscription_id, zone_owner, zone_name, notification_info, kind,
                    record_type, query, fires_on, fires_once, predicate, own_only, rights, term_key, term)
                select $1, $2, $3, * from unnest($4::text[], $5::text[], $6::text[], $7::jsonb[], $8::int2[],
                    $9::text[], $10::jsonb[], $11::int2[], $12::bool[], $13::text[], $14::bool[], $15::int8[],
                    $16::int8[], $17::int8[])
                on conflict (environment, scope, user_name, subscription_id) do update set
                    snapshot = case when (\(Self.watched("s"))) is not distinct from (\(Self.watched("excluded")))
                        then s.snapshot end,
                    notification_info = excluded.notification_info, zone_owner = excluded.zone_owner,
                    zone_name = excluded.zone_name, kind = excluded.kind, record_type = excluded.record_type,
                    query = excluded.query, fires_on = excluded.fires_on, fires_once = excluded.fires_once,
                    predicate = excluded.predicate, own_only = excluded.own_only, denied = false, rights = excluded.rights,
                    term_key = excluded.term_key, term = excluded.term
                """), owner + parameters(subscriptions))
    }

    /// Returns the columns that determine which changes a subscription fires for.
    private static func watched(_ row: String) -> String {
        [
            "kind", "zone_owner", "zone_name", "record_type", "predicate", "fires_on", "fires_once",
        ].map { "\(row).\($0)" }.joined(separator: ", ")
    }

    /// The owner of the database that the subscriptions watch; empty for the shared database, whose zones have various
    /// owners.
    private var watchedOwner: String {
        switch scope {
        case .public: ZoneAddress.publicOwner
        case .private: user
        case .shared: ""
        }
    }

    private func parameters(_ subscriptions: [Subscription]) -> [PostgresParameter] {
        let queries = subscriptions.map(\.query)
        let interests = queries.map { $0?.interest }
        return [
            .textArray(subscriptions.map(\.subscriptionID.rawValue)),
            .textArray(subscriptions.map { _ in watchedOwner }),
            .textArray(subscriptions.map { $0.zoneID?.zoneName.rawValue ?? "" }),
            .jsonbArray(subscriptions.map { $0.notificationInfo?.json.encoded() }),
            .int2Array(subscriptions.map(\.kind.number)),
            .textArray(subscriptions.map(\.recordType)),
            .jsonbArray(queries.map { $0?.dictionary.encoded() }),
            .int2Array(queries.map { $0?.firesOn.rawValue }),
            .boolArray(queries.map { $0?.firesOnce ?? false }),
            .textArray(interests.map { $0?.predicate }),
            .boolArray(interests.map { $0?.ownOnly ?? false }),
            .int8Array(interests.map { $0?.rights }),
            .int8Array(interests.map { $0?.term.key }),
            .int8Array(interests.map { $0?.term.term }),
        ]
    }

    /// Sets the moments of pending subscriptions; see ``MatchingTable``.
    package func complete() -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with pending as (select s.id from subscription.subscription s where \(Self.isOwn) and s.snapshot is null
                    order by s.id for no key update)
                update subscription.subscription s set snapshot = pg_current_snapshot()
                from pending p where s.id = p.id and s.snapshot is null
                """), owner)
    }
}
