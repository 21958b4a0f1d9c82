internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// Who watches what changed: read anew for every batch, by index, so that no cache has to be kept true.
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
///
/// A query subscription is saved after the record service has answered that it logs the values of its type: a change
/// that S does not see has them.
struct MatchingTable: Sendable {
    /// Where query subscriptions are looked for: the records of a type in a database.
    struct QueryPlace: Hashable, Sendable {
        let container: String
        let environment: String
        /// The database's owner: a user, or `ZoneAddress.publicOwner`.
        let owner: String
        let recordType: String

        /// The place of the records of a type in a zone.
        init(_ zone: ZoneAddress, recordType: String) {
            (container, environment, owner) = (zone.container, zone.environment, zone.owner)
            self.recordType = recordType
        }
    }

    /// What query subscriptions are looked up by.
    struct QueryProbe: Hashable, Sendable {
        let place: QueryPlace
        let term: EqualityTerm
    }

    /// Query subscriptions that a probe finds.
    struct QueryPage: Sendable {
        /// By their ids.
        var subscriptions: [StoredSubscription] = []
        /// Whether there are no more.
        var isLast = true
        /// Whether it is shorter than ``pageSize`` since there was no room for more predicates.
        var isCut = false
    }

    /// So many subscriptions of a probe are read at once.
    static let pageSize = 200
    /// Bytes of predicates that are read at once, each up to 16 KiB. Where all probes together have more, the pages of the
    /// databases that have the most are cut.
    static let maxPredicateBytes = 8 << 20

    let pool: PostgresPool

    /// The zone and database subscriptions of each of `zones`. One round trip, or three when a subscription is just being
    /// saved.
    ///
    /// - Throws: `PostgresError`.
    func subscriptions(of zones: [ZoneAddress]) async throws -> [ZoneAddress: [StoredSubscription]] {
        guard !zones.isEmpty else { return [:] }
        let rows = try await complete(
            PostgresCall(
                Self.zoneStatement,
                [
                    .textArray(zones.map(\.container)), .textArray(zones.map(\.environment)),
                    .textArray(zones.map(\.owner)), .textArray(zones.map(\.zone.rawValue)),
                ]))
        return Self.subscriptions(rows, of: zones)
    }

    /// The keys of the equalities that query subscriptions of each place demand, ``EqualityTerm/none`` included. One
    /// round trip, which costs as much as there are different keys.
    ///
    /// - Throws: `PostgresError`.
    func keys(of places: [QueryPlace]) async throws -> [QueryPlace: Set<Int64>] {
        guard !places.isEmpty else { return [:] }
        let rows = try await pool.withConnection { connection in
            try await connection.query(Self.keyStatement, Self.parameters(places))
        }
        return rows.reduce(into: [:]) { keys, row in
            keys[places[Int(row.int64(0)) - 1], default: []].insert(row.int64(1))
        }
    }

    /// A page of the query subscriptions that each of `probes` finds, after one of them. One round trip, or three when a
    /// subscription is just being saved.
    ///
    /// - Throws: `PostgresError`.
    func querySubscriptions(
        of probes: [QueryProbe], after id: UUID? = nil, maxBytes: Int = maxPredicateBytes
    ) async throws -> [QueryProbe: QueryPage] {
        guard !probes.isEmpty else { return [:] }
        let rows = try await complete(
            PostgresCall(
                Self.queryStatement,
                Self.parameters(probes.map(\.place)) + [
                    .int8Array(probes.map(\.term.key)), .int8Array(probes.map(\.term.term)),
                    .uuid(id ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                    .int8(Int64(Self.pageSize)), .int8(Int64(maxBytes)),
                ]))
        return Self.pages(rows, of: probes)
    }

    /// Runs a statement over subscriptions, and once more when some were pending, whose moment is then taken.
    private func complete(_ call: PostgresCall) async throws -> PostgresResult {
        try await pool.withConnection { connection in
            let found = try await connection.pipeline([call])[0]
            let pending = found.filter { $0.isNull(Self.snapshotColumn) }
            guard !pending.isEmpty else { return found }
            // In the same order everywhere: whoever does so waits for the others instead of blocking them.
            _ = try await connection.query(
                """
                with pending as (select s.id from subscription.subscription s where s.id = any($1) and s.snapshot is null
                    order by s.id for no key update)
                update subscription.subscription s set snapshot = pg_current_snapshot()
                from pending p where s.id = p.id and s.snapshot is null
                """, [.uuidArray(pending.map { $0.uuid(1) })])
            return try await connection.pipeline([call])[0]
        }
    }
}

// MARK: - Statements

extension MatchingTable {
    private static let columns = """
        k.position, s.id, s.environment, s.user_name, s.subscription_id,
        case when \(MomentTable.lies(ahead: "s.snapshot")) then '\(TransactionSnapshot.oldest)' else s.snapshot end::text
            as snapshot,
        s.kind, s.record_type, s.zone_name, s.fires_on, s.fires_once, s.own_only, s.denied, s.rights, s.predicate
        """
    /// ``columns`` but for the predicate.
    private static let names = """
        p.position, p.id, p.environment, p.user_name, p.subscription_id, p.snapshot, p.kind, p.record_type, p.zone_name,
        p.fires_on, p.fires_once, p.own_only, p.denied, p.rights
        """
    private static let snapshotColumn = 5

    private static let zoneStatement = PostgresStatement(
        """
        select \(columns)
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
            as k(container, environment, owner, zone, position)
        cross join lateral (select e.id from subscription.environment e
            where e.container = k.container and e.name = k.environment offset 0) e
        cross join lateral (select * from subscription.subscription s
            where s.zone_owner = k.owner and s.zone_name = any(array[k.zone, '']) and s.environment = e.id
                and s.kind in (2, 3) offset 0) s
        """)

    /// Each step finds the next key in the index, however many subscriptions share one.
    private static let keyStatement = PostgresStatement(
        """
        with recursive k as (
            select k.position, e.id as environment, k.owner, k.record_type
            from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
                as k(container, environment, owner, record_type, position)
            join subscription.environment e on e.container = k.container and e.name = k.environment
        ), step as (
            select k.*, (select min(s.term_key) from subscription.subscription s
                where s.record_type = k.record_type and s.zone_owner = k.owner and s.environment = k.environment
                    and s.kind = 1) as term_key
            from k
            union all
            select step.position, step.environment, step.owner, step.record_type,
                (select min(s.term_key) from subscription.subscription s
                where s.record_type = step.record_type and s.zone_owner = step.owner
                    and s.environment = step.environment and s.kind = 1 and s.term_key > step.term_key)
            from step where step.term_key is not null
        )
        select position, term_key from step where term_key is not null
        """)

    /// Rows are ranked by the bytes of their database's predicates up to and with them, and within a database by those of
    /// their probe's, so that databases get about the same number of bytes. Past `$9` bytes in all a row comes without its
    /// predicate, one for each probe.
    private static let queryStatement = PostgresStatement(
        """
        with found as (
            select \(columns), octet_length(s.predicate) as bytes, k.container, k.environment as name, k.owner
            from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[]) with ordinality
                as k(container, environment, owner, record_type, term_key, term, position)
            cross join lateral (select e.id from subscription.environment e
                where e.container = k.container and e.name = k.environment offset 0) e
            cross join lateral (select * from subscription.subscription s
                where s.record_type = k.record_type and s.zone_owner = k.owner and s.environment = e.id
                    and s.term_key = k.term_key and s.term = k.term and s.kind = 1 and s.id > $7
                order by s.id limit $8) s
        ), ofprobe as (
            select f.*, sum(f.bytes) over (partition by f.position order by f.id) as own from found f
        ), ofdatabase as (
            select o.*, sum(o.bytes) over (partition by o.container, o.name, o.owner order by o.own, o.position) as reach
            from ofprobe o
        ), ranked as (
            select d.*, sum(d.bytes) over (order by d.reach, d.position) as total from ofdatabase d
        ), placed as (
            select r.*, lag(r.total) over (partition by r.position order by r.id) as previous from ranked r
        )
        select \(names), case when p.total <= $9 then p.predicate end
        from placed p where p.total <= $9 or p.previous is null or p.previous <= $9 order by p.position, p.id
        """)

    private static func parameters(_ places: [QueryPlace]) -> [PostgresParameter] {
        [
            .textArray(places.map(\.container)), .textArray(places.map(\.environment)), .textArray(places.map(\.owner)),
            .textArray(places.map(\.recordType)),
        ]
    }

    private static func subscriptions<Key: Hashable>(_ rows: PostgresResult, of keys: [Key]) -> [Key:
        [StoredSubscription]]
    {
        rows.reduce(into: [:]) { subscriptions, row in
            guard let subscription = subscription(row) else { return }
            subscriptions[keys[Int(row.int64(0)) - 1], default: []].append(subscription)
        }
    }

    private static func pages(_ rows: PostgresResult, of probes: [QueryProbe]) -> [QueryProbe: QueryPage] {
        var pages: [QueryProbe: QueryPage] = [:]
        for row in rows {
            let probe = probes[Int(row.int64(0)) - 1]
            if let subscription = subscription(row) {
                pages[probe, default: QueryPage()].subscriptions.append(subscription)
            } else {
                pages[probe, default: QueryPage()].isCut = true
            }
        }
        return pages.mapValues { page in
            var page = page
            page.isLast = !page.isCut && page.subscriptions.count < pageSize
            return page
        }
    }

    private static func subscription(_ row: PostgresRow) -> StoredSubscription? {
        let kind: StoredSubscription.Kind
        switch row.int16(6) {
        case 1:
            guard let predicate = row.stringIfPresent(14) else { return nil }
            let zone = row.string(8)
            kind = .query(
                StoredSubscription.Query(
                    predicate: predicate, zoneName: zone.isEmpty ? nil : zone,
                    firesOn: FiringEvents(rawValue: row.int16IfPresent(9) ?? 0), firesOnce: row.bool(10),
                    ownOnly: row.bool(11), isDenied: row.bool(12), rights: row.int64IfPresent(13) ?? 0))
        case 2: kind = .zone
        default: kind = .database
        }
        return StoredSubscription(
            id: row.uuid(1), environment: row.int32(2), user: row.string(3), subscriptionID: row.string(4), kind: kind,
            recordType: row.stringIfPresent(7),
            snapshot: row.stringIfPresent(5).flatMap(TransactionSnapshot.init))
    }
}
