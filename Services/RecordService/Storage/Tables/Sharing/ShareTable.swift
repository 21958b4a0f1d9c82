internal import CloudKitModel
package import PostgresClient

/// The SQL statements for the shares of an environment, their participants and their links.
package struct ShareTable: Sendable {
    /// The name of the share of a whole zone. The zone keeps the link when the share ends.
    private static let zoneShareName = "cloudkit.zoneshare"

    private let environment: EnvironmentRow

    /// Creates the statements for the shares of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Reads, for each of `keys`, the live share whose share record or root has that key, including all participants,
    /// and the link of the record; ``found(_:)`` decodes them.
    package func find(_ keys: [RecordKey]) -> PostgresCall {
        PostgresCall(
            statement(
                keys: "unnest($1::int8[], $2::text[]) with ordinality as k(zone, name, position)", reading: .all),
            [.int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name)), .int4(environment.rawValue)])
    }

    /// For each of `visitors`, reads the live share, the link of the record and what determines what the visitor may do
    /// (``ShareColumns/ofVisitor``); ``found(_:of:)`` decodes them.
    package func find(_ visitors: [ShareVisitor]) -> PostgresCall {
        PostgresCall(
            statement(
                keys: """
                    unnest($1::int8[], $2::text[], $4::text[], $5::text[], $6::int4[], $7::int2[])
                        with ordinality as k(zone, name, user_name, email, one_time, intent, position)
                    """,
                reading: .ofVisitor),
            [
                .int8Array(visitors.map(\.key.zone.rawValue)), .names(visitors.map(\.key.name)),
                .int4(environment.rawValue), .textArray(visitors.map(\.user)), .textArray(visitors.map(\.email)),
                .int4Array(visitors.map { $0.oneTime ?? 0 }), .int2Array(visitors.map(\.intent.rawValue)),
            ])
    }

    private func statement(keys: String, reading columns: ShareColumns) -> PostgresStatement {
        PostgresStatement(
            """
            select k.zone, k.name, k.position, l.link, \(columns.list)
            from \(keys)
            left join lateral (
                select s.* from record.share s where s.zone = k.zone and s.name = k.name and s.ended_seq is null
                union all
                select s.* from record.share s where s.zone = k.zone and s.root = k.name and s.ended_seq is null
                limit 1) s on true
            left join record.link l on l.zone = k.zone and l.name = coalesce(s.root, s.name, k.name)
                and (s.id is not null or l.name = '\(Self.zoneShareName)' or exists (
                    select from \(environment.recordTable) r
                    where r.environment = $3 and r.zone = k.zone and r.name = k.name and r.linked
                        and r.fields is not null))
            """)
    }

    /// The result of ``find(_:)`` for one record.
    package struct Found: Sendable {
        /// The live share whose share record or root this record is; nil if there is none.
        package let share: StoredShare?
        /// The identifier in the record's link; nil if the record has no link.
        package let link: String?

        fileprivate init(_ row: PostgresRow) {
            link = row.isNull(3) ? nil : row.string(3)
            share = ShareColumns.share(row, at: 4, link: link)
        }
    }

    /// Returns the results of ``find(_:)``, keyed by record.
    package static func found(_ result: PostgresResult) -> [RecordKey: Found] {
        result.reduce(into: [:]) { found, row in
            found[RecordKey(zone: ZoneRow(row.int64(0)), name: row.recordName(1))] = Found(row)
        }
    }

    /// Returns the results of ``find(_:)`` for `visitors`.
    package static func found(_ result: PostgresResult, of visitors: [ShareVisitor]) -> [ShareVisitor: Found] {
        result.reduce(into: [:]) { found, row in found[visitors[Int(row.int64(2)) - 1]] = Found(row) }
    }

    /// Writes new and changed shares with their new and changed participants and requesters.
    package func write(_ changes: [Change]) -> [PostgresCall] {
        guard !changes.isEmpty else { return [] }
        let linked = changes.filter { !$0.share.link.isEmpty }.map { change in
            (RecordKey(zone: change.zone, name: change.share.root ?? change.share.name), change.share.link)
        }
        return [
            PostgresCall(
                """
                insert into record.share as s (environment, zone, id, name, root, public_permission, allows_requests)
                select $1, w.zone, w.id, w.name, w.root, w.permission, w.allows_requests
                from unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::int2[], $7::bool[], $8::bool[])
                    as w(zone, id, name, root, permission, raises, allows_requests)
                on conflict (zone, id) do update set public_permission = excluded.public_permission,
                    allows_requests = excluded.allows_requests, changed_xid = pg_current_xact_id(),
                    audience = s.audience + case when (s.zone, s.id) in (
                        select zone, id from unnest($2::int8[], $3::int8[], $7::bool[]) as k(zone, id, raises)
                        where raises) then 1 else 0 end
                """,
                [
                    .int4(environment.rawValue), .int8Array(changes.map(\.zone.rawValue)),
                    .int8Array(changes.map(\.share.id.rawValue)), .names(changes.map(\.share.name)),
                    .textArray(changes.map(\.share.root?.rawValue)),
                    .int2Array(changes.map(\.share.publicPermission.rawValue)),
                    .boolArray(changes.map(\.changesAccess)), .boolArray(changes.map(\.share.requests.areAllowed)),
                ])
        ] + ParticipantTable(environment).write(changes) + link(linked)
    }

    /// Returns SQL that marks live shares as changed for the feed of the shared database (``SharedDatabaseFeed``).
    /// Shares that have ended are not affected.
    ///
    /// - Parameter source: SQL that returns the zones and the shares in columns `zone` and `share`. Rows without a
    ///   share are ignored.
    static func touch(_ source: String) -> String {
        """
        update record.share set changed_xid = pg_current_xact_id() where ctid = any(array(
            select s.ctid from (select distinct zone, share from \(source) where share is not null) k
            cross join lateral (
                select s.ctid from record.share s
                where s.zone = k.zone and s.id = k.share and s.ended_seq is null offset 0) s))
        """
    }

    /// Assigns links to records. The links replace those of deleted records with the same names. The records must have
    /// been written already.
    package func link(_ links: [(key: RecordKey, link: String)]) -> [PostgresCall] {
        guard !links.isEmpty else { return [] }
        let keys: [PostgresParameter] = [
            .int4(environment.rawValue), .int8Array(links.map(\.key.zone.rawValue)), .names(links.map(\.key.name)),
        ]
        return [
            PostgresCall(
                """
                insert into record.link as l (environment, zone, name, link, digest)
                select $1, zone, name, link, sha256(convert_to(link, 'UTF8'))
                from unnest($2::int8[], $3::text[], $4::text[]) as w(zone, name, link)
                on conflict (zone, name) do update set link = excluded.link, digest = excluded.digest
                where l.link <> excluded.link
                """, keys + [.textArray(links.map(\.link))]),
            PostgresCall(
                PostgresStatement(
                    """
                    update \(environment.recordTable) set linked = true where ctid = any(array(
                        select r.ctid from unnest($2::int8[], $3::text[]) as k(zone, name) cross join lateral (
                            select r.ctid from \(environment.recordTable) r
                            where r.environment = $1 and r.zone = k.zone and r.name = k.name
                                and r.fields is not null and r.linked is not true
                            offset 0) r))
                    """), keys),
        ]
    }

    /// Ends shares. Everyone who has access loses it with the change `seq`. A background job removes the records from
    /// the shares. A zone that already has such a job does not get a second one.
    package func end(_ ends: [(zone: ZoneRow, share: ShareID, seq: Int64)]) -> [PostgresCall] {
        guard !ends.isEmpty else { return [] }
        let parameters: [PostgresParameter] = [
            .int8Array(ends.map(\.zone.rawValue)), .int8Array(ends.map(\.share.rawValue)),
            .int8Array(ends.map(\.seq)),
        ]
        return [
            PostgresCall(
                """
                update record.share s set ended_seq = k.seq, ended_at = now(), audience = s.audience + 1,
                    changed_xid = pg_current_xact_id()
                from unnest($1::int8[], $2::int8[], $3::int8[]) as k(zone, id, seq)
                where s.zone = k.zone and s.id = k.id
                """, parameters),
            PostgresCall(
                """
                update record.participant p set until_seq = k.seq
                from unnest($1::int8[], $2::int8[], $3::int8[]) as k(zone, share, seq)
                where p.zone = k.zone and p.share = k.share and p.status = 2 and p.role <> 1
                    and p.permission <> 1
                """, parameters),
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                select distinct 'share.empty', jsonb_build_object('environment', $1::int4, 'zone', k.zone)
                from unnest($2::int8[]) as k(zone) where not exists (
                    select from record.share s
                    where s.zone = k.zone and s.ended_seq is not null and not s.is_empty
                        and (s.zone, s.id) not in (select * from unnest($2::int8[], $3::int8[])))
                """, [.int4(environment.rawValue)] + parameters.prefix(2)),
        ]
    }

    /// Sets the column `sharing` of zones according to their live shares.
    package func countShares(of zones: [ZoneRow]) -> PostgresCall {
        PostgresCall(
            """
            update record.zone z set sharing = case
                when exists (select from record.share s
                    where s.zone = z.id and s.root is null and s.ended_seq is null) then 2
                when exists (select from record.share s where s.zone = z.id and s.ended_seq is null) then 1
                else 0 end
            where z.id = any($1)
            """, [.int8Array(zones.map(\.rawValue))])
    }

    /// Deletes the links of deleted records, but not the links of zones.
    package func unlink(_ keys: [RecordKey]) -> PostgresCall {
        PostgresCall(
            """
            delete from record.link l using unnest($1::int8[], $2::text[]) as k(zone, name)
            where l.zone = k.zone and l.name = k.name and l.name <> 'cloudkit.zoneshare'
            """, [.int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name))])
    }
}
