package import CloudKitModel
package import PostgresClient

/// The SQL statements for a participant's feed of a zone that contains shares of records. Their cost depends on the
/// size of the shares, not on the size of the zone, because they scan the index of the members of each share.
package struct SharedFeedTable: Sendable {
    private let environment: EnvironmentRow
    private let zone: ZoneRow
    private let access: ShareAccess

    /// Creates the statements for a zone, as a participant with `access` sees it.
    package init(_ environment: EnvironmentRow, _ zone: ZoneRow, _ access: ShareAccess) {
        self.environment = environment
        self.zone = zone
        self.access = access
    }

    /// The parameters of all statements: `$1` is the environment, `$2` the zone, `$3` the shares, `$4` the changes by
    /// which the user gained access, `$5` to `$7` the position, `$8` the horizon, and `$9` the limit.
    private func parameters(
        after position: SharedPosition, skippingTombstonesTo horizon: Int64, limit: Int
    ) -> [PostgresParameter] {
        [
            .int4(environment.rawValue), .int8(zone.rawValue), .int8Array(access.shares.map(\.id.rawValue)),
            .int8Array(access.shares.map(\.since)), .int8(position.seq), .int8(position.recordSeq),
            .text(position.name.rawValue), .int8(horizon), .int4(Int32(limit)),
        ]
    }

    /// Reads the members of the shares after `position`, up to `limit` records and about `maxBytes`, but at least one
    /// record; ``RecordTable/records(_:)`` decodes them, and ``positions(_:)`` decodes their positions. Tombstones up
    /// to `horizon` are left out, because the reader has never seen those records.
    package func members(
        after position: SharedPosition, skippingTombstonesTo horizon: Int64, limit: Int, maxBytes: Int
    ) -> PostgresCall {
        let table = environment.recordTable
        return PostgresCall(
            PostgresStatement(
                """
                select \(RecordTable.columns), r.fields, false, r.shown_seq
                from (select r.*, sum(r.size) over (order by r.shown_seq, r.share_seq, r.name) - r.size as running
                    from (select r.*, greatest(r.share_seq, a.since) as shown_seq
                        from unnest($3::int8[], $4::int8[]) as a(share, since) cross join lateral (
                            (select r.* from \(table) r
                            where r.environment = $1 and r.zone = $2 and r.share = a.share and a.since >= $5
                                and r.share_seq <= a.since and (a.since > $5 or (r.share_seq, r.name) > ($6, $7))
                                and r.fields is not null
                            order by r.share_seq, r.name limit $9)
                            union all
                            (select r.* from \(table) r
                            where r.environment = $1 and r.zone = $2 and r.share = a.share
                                and r.share_seq > a.since and r.share_seq >= $5
                                and (r.share_seq, r.share_seq, r.name) > ($5, $6, $7)
                                and (r.fields is not null or r.share_seq > $8)
                            order by r.share_seq, r.name limit $9)) r
                        order by shown_seq, r.share_seq, r.name limit $9) r) r
                where r.running <= $10 order by r.shown_seq, r.share_seq, r.name
                """),
            parameters(after: position, skippingTombstonesTo: horizon, limit: limit) + [.int8(Int64(maxBytes))])
    }

    /// The positions of the records that ``members(after:skippingTombstonesTo:limit:maxBytes:)`` found.
    package static func positions(_ result: PostgresResult) -> [SharedPosition] {
        result.map { row in
            SharedPosition(
                seq: row.int64(RecordTable.columnCount), recordSeq: row.int64(14), name: row.recordName(1))
        }
    }

    /// Reads up to `limit` records after `position` that the user can no longer see: records that left a share, and
    /// records of shares to which the user lost access; ``gone(_:)`` decodes them. Records up to `horizon` are left
    /// out, because the reader has never seen them.
    package func gone(
        after position: SharedPosition, skippingTombstonesTo horizon: Int64, limit: Int
    ) -> PostgresCall {
        let table = environment.recordTable
        let isHidden = { (name: String) in
            """
            not exists (select from \(table) v where v.environment = $1 and v.zone = $2 and v.name = \(name)
                and v.fields is not null and v.share = any($3))
            """
        }
        return PostgresCall(
            PostgresStatement(
                """
                select g.name, g.shown_seq, g.seq from (
                    select d.name, d.seq as shown_seq, d.seq
                    from unnest($3::int8[], $4::int8[]) as a(share, since) cross join lateral (
                        select d.name, d.seq from record.departure d
                        where d.zone = $2 and d.share = a.share and d.seq > a.since and d.seq >= $5 and d.seq > $8
                            and (d.seq, d.seq, d.name) > ($5, $6, $7) and \(isHidden("d.name"))
                        order by d.seq, d.name limit $9) d
                    union all
                    select m.name, l.until, m.seq
                    from unnest($10::int8[], $11::int8[]) as l(share, until) cross join lateral (
                        (select r.name, r.share_seq as seq from \(table) r
                        where r.environment = $1 and r.zone = $2 and r.share = l.share and l.until >= $5
                            and (l.until > $5 or (r.share_seq, r.name) > ($6, $7))
                            and l.until > $8 and r.share_since <= l.until and \(isHidden("r.name"))
                        order by r.share_seq, r.name limit $9)
                        union all
                        (select d.name, d.seq from record.departure d
                        where d.zone = $2 and d.share = l.share and d.seq >= l.until and l.until >= $5
                            and (l.until > $5 or (d.seq, d.name) > ($6, $7))
                            and l.until > $8 and d.since <= l.until and \(isHidden("d.name"))
                        order by d.seq, d.name limit $9)) m) g
                order by g.shown_seq, g.seq, g.name limit $9
                """),
            parameters(after: position, skippingTombstonesTo: horizon, limit: limit) + [
                .int8Array(access.lost.map(\.id.rawValue)), .int8Array(access.lost.map(\.until)),
            ])
    }

    /// The positions of the records that ``gone(after:skippingTombstonesTo:limit:)`` found.
    package static func gone(_ result: PostgresResult) -> [SharedPosition] {
        result.map { SharedPosition(seq: $0.int64(1), recordSeq: $0.int64(2), name: $0.recordName(0)) }
    }
}
