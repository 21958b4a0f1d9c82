package import CloudKitModel
package import PostgresClient

/// The SQL statements that follow the parents of records upwards.
extension MembershipTable {
    /// Reads `keys` and all their ancestors, up to `limit` rows, `keys` first; ``ancestors(_:)`` decodes them. `limit` must
    /// not be less than the number of `keys`. The recursion ends even if the parents form a cycle, because `union` includes each record only once.
    package func ancestors(of keys: [RecordKey], limit: Int) -> PostgresCall {
        let live = { (name: String) in
            """
            select r.name, r.parent from \(environment.recordTable) r
            where r.environment = $1 and r.zone = k.zone and r.name = \(name) and r.fields is not null offset 0
            """
        }
        return PostgresCall(
            PostgresStatement(
                """
                with recursive up(zone, name, parent) as (
                    select k.zone, r.name, r.parent from unnest($2::int8[], $3::text[]) as k(zone, name)
                    cross join lateral (\(live("k.name"))) r
                    union
                    select k.zone, r.name, r.parent from up k cross join lateral (\(live("k.parent"))) r)
                select u.zone, u.name, u.parent, (select s.id from record.share s
                    where s.zone = u.zone and s.root = u.name and s.ended_seq is null),
                    exists (select from record.share_move m where m.zone = u.zone and m.name = u.name)
                from (select * from up limit $4) u
                """),
            [
                .int4(environment.rawValue), .int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name)),
                .int8(Int64(limit)),
            ])
    }

    /// The records that ``ancestors(of:limit:)`` found.
    package static func ancestors(_ result: PostgresResult) -> [RecordKey: Ancestry.Ancestor] {
        var ancestors: [RecordKey: Ancestry.Ancestor] = [:]
        for row in result {
            ancestors[RecordKey(zone: ZoneRow(row.int64(0)), name: row.recordName(1))] = Ancestry.Ancestor(
                parent: row.recordNameIfPresent(2), share: row.int64IfPresent(3).map(ShareID.init),
                isPending: row.bool(4))
        }
        return ancestors
    }

    /// Returns the SQL condition that the parents of a record lead to the root of the live share in which the record is
    /// stored, or that the record is that share. The condition is evaluated for readers of zones in which records leave
    /// shares (``ShareMoves/leaving``). It costs one look-up for each record on the way.
    ///
    /// - Parameter row: the alias of the record's table, which must have the columns `zone`, `name`, `parent` and
    ///   `share`.
    package static func isBelowRoot(_ row: String, in environment: EnvironmentRow) -> String {
        """
        exists (
            with recursive up(name, parent) as (
                select \(row).name, \(row).parent
                union
                select p.name, p.parent from up cross join lateral (
                    select p.name, p.parent from \(environment.recordTable) p
                    where p.environment = \(environment.rawValue) and p.zone = \(row).zone and p.name = up.parent
                        and p.fields is not null offset 0) p)
            select from up where up.name = any(array(
                select unnest(array[s.root, s.name]) from record.share s
                where s.zone = \(row).zone and s.id = \(row).share and s.ended_seq is null)))
        """
    }

    /// Returns the SQL condition that a live record is stored in a share to which it no longer belongs, because records
    /// are leaving shares of the zone.
    static func hasLeft(_ row: String, in environment: EnvironmentRow) -> String {
        """
        case when \(row).share is null then false
            when (select z.share_moves = 2 from record.zone z where z.id = \(row).zone)
            then not (\(isBelowRoot(row, in: environment))) else false end
        """
    }

    /// Reads the names of the roots of a zone's live shares, up to `limit`; ``roots(_:)`` decodes them.
    package static func roots(of zone: ZoneRow, limit: Int) -> PostgresCall {
        PostgresCall(
            """
            select s.root from record.share s where s.zone = $1 and s.root is not null and s.ended_seq is null limit $2
            """, [.int8(zone.rawValue), .int8(Int64(limit))])
    }

    /// The roots that ``roots(of:limit:)`` found.
    package static func roots(_ result: PostgresResult) -> [RecordName] { result.map { $0.recordName(0) } }
}
