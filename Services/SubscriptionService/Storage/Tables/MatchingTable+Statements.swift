internal import CloudKitModel
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// The statements of the table and the rows that they return.
extension MatchingTable {
    private static let columns = """
        k.position, s.id, s.environment, s.user_name, s.subscription_id,
        case when \(MomentTable.isInFuture("s.snapshot")) then '\(TransactionSnapshot.oldest)' else s.snapshot end::text
            as snapshot,
        s.kind, s.record_type, s.zone_name, s.fires_on, s.fires_once, s.own_only, s.denied, s.rights, s.predicate
        """
    /// ``columns`` without the predicate.
    private static let names = """
        p.position, p.id, p.environment, p.user_name, p.subscription_id, p.snapshot, p.kind, p.record_type, p.zone_name,
        p.fires_on, p.fires_once, p.own_only, p.denied, p.rights
        """
    static let snapshotColumn = 5

    static let zoneStatement = PostgresStatement(
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

    static let sharedStatement = PostgresStatement(
        """
        select \(columns)
        from unnest($1::text[], $2::text[], $3::text[]) with ordinality
            as k(container, environment, user_name, position)
        cross join lateral (select e.id from subscription.environment e
            where e.container = k.container and e.name = k.environment offset 0) e
        cross join lateral (select * from subscription.subscription s
            where s.environment = e.id and s.scope = 3 and s.user_name = k.user_name and s.kind = 3
                and s.subscription_id > $4
            order by s.subscription_id limit $5) s
        order by k.position, s.subscription_id
        """)

    /// Each step finds the next key in the index. The cost of a step does not depend on how many subscriptions share a
    /// key.
    static let keyStatement = PostgresStatement(
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

    /// Rows are ranked by the running total of predicate bytes in their database, and within a database by the running
    /// total in their probe's result. All databases therefore get about the same number of bytes. Once the overall
    /// total exceeds `$9` bytes, the next row of each probe is returned without its predicate, and the rows after it
    /// are left out.
    static let queryStatement = PostgresStatement(
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

    static func parameters(_ places: [QueryPlace]) -> [PostgresParameter] {
        [
            .textArray(places.map(\.container)), .textArray(places.map(\.environment.rawValue)),
            .textArray(places.map(\.owner)),
            .textArray(places.map(\.recordType)),
        ]
    }

    static func subscriptions<Key: Hashable>(_ rows: PostgresResult, of keys: [Key]) -> [Key:
        [StoredSubscription]]
    {
        rows.reduce(into: [:]) { subscriptions, row in
            guard let subscription = subscription(row) else { return }
            subscriptions[keys[Int(row.int64(0)) - 1], default: []].append(subscription)
        }
    }

    static func pages(_ rows: PostgresResult, of probes: [QueryProbe]) -> [QueryProbe: QueryPage] {
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
