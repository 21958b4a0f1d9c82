package import CloudKitModel
package import PostgresClient

/// The SQL statements for the feed of a user's shared database. The feed lists the zones of other users in which
/// something that the user can see has changed.
///
/// The row of a share contains the id of the last transaction that changed the share or one of its members. The row of
/// a participant contains the id of the last transaction that gave or revoked access. A zone is listed if one of these
/// transactions is not visible in the client's snapshot. A listing reads these two rows for each share of the user,
/// through indexes, but does not read the shares' records.
package enum SharedDatabaseFeed {
    /// The minimum number of shares that one page examines, if there are that many.
    package static let maxShares = 5000

    /// A page of a listing.
    package struct Page: Sendable {
        /// The zones that changed, in order of their rows.
        package fileprivate(set) var zones: [ChangedZone] = []
        /// The last zone that was examined, if the page did not examine all shares; otherwise nil.
        package fileprivate(set) var lastExamined: ZoneRow?
    }

    /// A zone that changed.
    package struct ChangedZone: Sendable {
        /// The row of the zone.
        package let row: ZoneRow
        /// The name and the owner of the zone.
        package let id: ZoneID
        /// Whether the user can no longer see any part of the zone.
        package let isLost: Bool
    }

    /// Reads the current snapshot; ``snapshot(_:)`` decodes it.
    package static func snapshot(in environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select pg_current_snapshot()::text from record.environment where id = $1",
            [.int4(environment.rawValue)])
    }

    /// The snapshot that ``snapshot(in:)`` read; nil if the environment is gone.
    package static func snapshot(_ result: PostgresResult) -> String? { result.first?.string(0) }

    /// The condition that the client has not seen the changes of a transaction. Each subquery is evaluated once for all
    /// rows.
    private static func isNews(_ xid: String) -> String {
        """
        (\(xid) >= (select xmin from known) and not pg_visible_in_snapshot(\(xid), (select since from known)))
        """
    }

    /// Reads up to `limit` zones after `zone` that changed after the snapshot `since`; ``page(_:)`` decodes them.
    ///
    /// A subquery reads the row of each share, because for a join, PostgreSQL would cache rows that are read only once.
    /// Shares without a recent change, which are most shares, are excluded by a subquery of their own, which is faster
    /// than one that also determines access.
    ///
    /// A zone is lost if the user no longer has access to any of its shares. A lost zone is left out if the client has
    /// no snapshot yet, or if the user has access to another zone with the same name and owner. Changes to a share
    /// after the user has lost access to it are ignored.
    ///
    /// - Parameter since: the snapshot that the client has; nil if it has none yet.
    package static func changes(
        for user: String, in environment: EnvironmentRow, since: String?, after zone: ZoneRow?, limit: Int
    ) -> PostgresCall {
        let access = ShareAccessTable.hasAccess
        return PostgresCall(
            PostgresStatement(
                """
                with known as materialized (
                    select since, pg_snapshot_xmin(since) as xmin
                    from (select coalesce($3::text, '1:1:')::pg_snapshot as since offset 0) s),
                news as materialized (
                    select array_agg(distinct p.zone) filter (where exists (
                            select from record.share s
                            where s.zone = p.zone and s.id = p.share and (s.changed_xid >= (select xmin from known)
                                or p.changed_xid >= (select xmin from known) or s.root is null) offset 0)
                        and (
                            select case
                                when \(access) then \(isNews("s.changed_xid")) or s.root is null and exists (
                                    select from record.zone z where z.id = p.zone and \(isNews("z.changed_xid")))
                                when p.status = 2 and \(ShareAccessTable.permission) <> 1
                                    then \(isNews("s.changed_xid"))
                                else \(isNews("p.changed_xid")) end
                            from record.share s where s.zone = p.zone and s.id = p.share)) as zones,
                        count(*) as shares, max(p.zone) as last
                    from (
                        select p.zone, p.share, p.status, p.role, p.permission, p.since_seq, p.changed_xid
                        from record.participant p
                        where p.environment = $1 and p.user_name = $2 and p.role <> 1 and p.since_seq is not null
                            and p.zone > $4
                        order by p.zone fetch first $6 rows with ties) p)
                (select z.id, z.name, d.owner, c.is_lost
                from unnest((select zones from news)) as n(zone)
                cross join lateral (
                    select z.id, z.name, z.database, z.deleted_at from record.zone z where z.id = n.zone offset 0) z
                join record.database d on d.id = z.database
                cross join lateral (
                    select z.deleted_at is not null or not exists (
                        select from record.participant p join record.share s on s.zone = p.zone and s.id = p.share
                        where p.environment = $1 and p.user_name = $2 and p.zone = z.id and p.since_seq is not null
                            and \(access)) as is_lost offset 0) c
                where not c.is_lost or $3 is not null and not exists (
                    select from record.zone again
                    join record.participant p on p.environment = $1 and p.user_name = $2 and p.zone = again.id
                        and p.since_seq is not null
                    join record.share s on s.zone = p.zone and s.id = p.share
                    where again.database = z.database and again.name = z.name and again.deleted_at is null
                        and \(access))
                order by z.id limit $5)
                union all
                select last, null, null, false from news where shares >= $6
                """),
            [
                .int4(environment.rawValue), .text(user), .text(since), .int8(zone?.rawValue ?? 0),
                .int8(Int64(limit)), .int8(Int64(maxShares)),
            ])
    }

    /// The page that ``changes(for:in:since:after:limit:)`` read.
    package static func page(_ result: PostgresResult) -> Page {
        var page = Page()
        for row in result {
            let zone = ZoneRow(row.int64(0))
            guard let name = row.stringIfPresent(1) else {
                page.lastExamined = zone
                continue
            }
            page.zones.append(
                ChangedZone(
                    row: zone,
                    id: ZoneID(
                        zoneName: ZoneName(unchecked: name), ownerRecordName: UserName(unchecked: row.string(2))),
                    isLost: row.bool(3)))
        }
        return page
    }

    /// Checks whether a purge has removed a loss of access that a client with the snapshot `since` might not know
    /// about. The result has one row if there was such a loss in the environment, and none otherwise.
    package static func purged(in environment: EnvironmentRow, since: String) -> PostgresCall {
        PostgresCall(
            """
            select from record.shared_database
            where environment = $1 and purge_mark >= pg_snapshot_xmin($2::text::pg_snapshot)
            """, [.int4(environment.rawValue), .text(since)])
    }
}
