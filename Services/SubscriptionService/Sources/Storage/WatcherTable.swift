internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// A subscription as the fan-out sees it.
struct Watcher: Sendable {
    /// The row's id: the base of its notification ids.
    let id: UUID
    /// Whose it is.
    let user: String
    /// Its name.
    let subscriptionID: String
    /// The `aps` part of its notifications as JSON; nil: none.
    let aps: [UInt8]?
    /// When it was saved; nil: not yet when the changes that are being matched were committed.
    let snapshot: TransactionSnapshot?

    /// Whether it fires for the changes of a transaction.
    func fires(for xid: UInt64) -> Bool {
        snapshot.map { !$0.sees(xid) } ?? false
    }
}

/// Who watches the zones of a batch of changes: read anew for every batch, by index, so that no cache has to be kept
/// true.
///
/// **Why a subscription fires for exactly the changes after the moment it was saved.** It is saved in two
/// transactions: the first commits the row with no snapshot, *pending*; the second sets `pg_current_snapshot()`, and
/// then the save is answered. Take a change X and the snapshot S.
///
/// - S sees X: X was committed before S was taken, and so before the answer. The subscription does not fire.
/// - S does not see X: X was committed after S was taken, and so after the row was committed. X is matched after its
///   own commit: whoever matches it finds the row. (With a single transaction X could commit, and be matched, between
///   the taking of S and the commit that shows the row.)
/// - The row found is still pending: the matcher sets the snapshot itself, in the same way, before it goes on. If it
///   is first, its snapshot sees X, which is right, since the save is not answered yet; the saver then finds the row
///   complete. If the saver was first but has not committed, the matcher waits for the row's lock, finds it complete,
///   and reads the saver's S, which may well not see X. One of them wins, and both go by the winner's value.
/// - A row that becomes visible only while the matcher does so is younger than X, and must not fire.
struct WatcherTable: Sendable {
    let pool: PostgresPool

    /// The watchers of each of `zones`. One round trip, or three when a subscription is just being saved.
    ///
    /// - Throws: `PostgresError`.
    func watchers(of zones: [ZoneAddress]) async throws -> [ZoneAddress: [Watcher]] {
        guard !zones.isEmpty else { return [:] }
        return try await pool.withConnection { connection in
            let found = try await connection.query(Self.statement, Self.parameters(zones))
            let pending = found.filter { $0.isNull(5) }
            guard !pending.isEmpty else { return Self.watchers(found, zones) }
            _ = try await connection.query(
                """
                update subscription.subscription set snapshot = pg_current_snapshot()
                where id = any($1) and snapshot is null
                """, [.uuidArray(pending.map { $0.uuid(1) })])
            return Self.watchers(try await connection.query(Self.statement, Self.parameters(zones)), zones)
        }
    }

    private static let statement: PostgresStatement = """
        select k.position, s.id, s.user_name, s.subscription_id, s.notification_info, s.snapshot::text
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
            as k(container, environment, owner, zone, position)
        cross join lateral (select e.id from subscription.environment e
            where e.container = k.container and e.name = k.environment offset 0) e
        cross join lateral (select * from subscription.subscription s
            where s.zone_owner = k.owner and s.zone_name = k.zone and s.environment = e.id offset 0) s
        """

    private static func parameters(_ zones: [ZoneAddress]) -> [PostgresParameter] {
        [
            .textArray(zones.map(\.container)), .textArray(zones.map(\.environment)), .textArray(zones.map(\.owner)),
            .textArray(zones.map(\.zone)),
        ]
    }

    private static func watchers(_ rows: PostgresResult, _ zones: [ZoneAddress]) -> [ZoneAddress: [Watcher]] {
        var watchers: [ZoneAddress: [Watcher]] = [:]
        for row in rows {
            let watcher = Watcher(
                id: row.uuid(1), user: row.string(2), subscriptionID: row.string(3),
                // It was checked when it was saved; what could not be shown must not hold up a shard.
                aps: row.jsonbIfPresent(4).flatMap { try? NotificationInfo(JSONValue(parsing: $0)).aps },
                snapshot: row.stringIfPresent(5).flatMap(TransactionSnapshot.init))
            watchers[zones[Int(row.int64(0)) - 1], default: []].append(watcher)
        }
        return watchers
    }
}
