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

    /// The parameters of all statements: `$1` environment, `$2` zone, `$3` the limit, and `$4` to `$10` the streams.
    private func parameters(_ streams: [SharedStream], limit: Int) -> [PostgresParameter] {
        [.int4(environment.rawValue), .int8(zone.rawValue), .int4(Int32(limit))] + Self.parameters(streams)
    }

    private static func parameters(_ streams: [SharedStream]) -> [PostgresParameter] {
        [
            .int8Array(streams.map(\.share.rawValue)), .int8Array(streams.map(\.shown)),
            .int8Array(streams.map(\.after.seq)), .names(streams.map(\.after.name)),
            .int8Array(streams.map(\.known)), .int8Array(streams.map(\.before.seq)),
            .names(streams.map(\.before.name)),
        ]
    }

    /// The streams as a table. `first` is the number of the first of their parameters.
    private static func streams(_ first: Int) -> String {
        let types = ["int8", "int8", "int8", "text", "int8", "int8", "text"]
        let arrays = types.enumerated().map { "$\(first + $0)::\($1)[]" }.joined(separator: ", ")
        return "unnest(\(arrays)) as a(share, shown, seq, name, known, before_seq, before_name)"
    }

    /// Reads the members of the shares in `range`, up to `limit` records and about `maxBytes`, but at least one record;
    /// ``RecordTable/records(_:)`` decodes them, and ``positions(of:_:)`` decodes their positions.
    ///
    /// Members that have left a share, because a record above them moved, are read without their fields and are not in
    /// ``visible(_:)``. They take up room on the page, so that its cost does not depend on how many there are. If there are
    /// several shares, whole rows are read only after the records of the page have been determined.
    package func members(in range: SharedFeedRange, limit: Int, maxBytes: Int) -> PostgresCall {
        let table = environment.recordTable
        let way = range.descends ? "desc" : "asc"
        let isVisible =
            access.moves == .leaving
            ? "(r.fields is null or \(MembershipTable.isBelowRoot("r", in: environment)))" : "true"
        let streams = access.gained(in: range)
        func members(_ columns: String) -> String {
            """
            from \(Self.streams(4))
            cross join lateral (
                select \(columns) from \(table) r
                where r.environment = $1 and r.zone = $2 and r.share = a.share
                    and (r.share_seq, r.name) > (a.seq, a.name)
                    and (r.share_seq, r.name) < (a.before_seq, a.before_name)
                    and r.share_seq <= coalesce(a.shown, \(Int64.max))
                    and (r.fields is not null or r.share_seq > a.known)
                order by r.share_seq \(way), r.name \(way) limit $3) r
            """
        }
        let rows =
            streams.count == 1
            ? "select r.*, coalesce(a.shown, r.share_seq) as shown_seq \(members("r.*"))"
            : """
            select r.*, k.shown_seq
            from (select r.place, coalesce(a.shown, r.share_seq) as shown_seq
                \(members("r.ctid as place, r.share_seq, r.name"))
                order by shown_seq \(way), r.share_seq \(way), r.name \(way) limit $3) k
            cross join lateral (select r.* from \(table) r where r.ctid = k.place offset 0) r
            """
        return PostgresCall(
            PostgresStatement(
                """
                select \(RecordTable.columns), case when r.is_visible then r.fields end, false, r.shown_seq, r.is_visible
                from (select r.*, \(isVisible) as is_visible,
                        sum(r.size) over (order by r.shown_seq \(way), r.share_seq \(way), r.name \(way))
                            - r.size as running
                    from (\(rows)) r) r
                where r.running <= $11 order by r.shown_seq \(way), r.share_seq \(way), r.name \(way)
                """),
            parameters(streams, limit: limit) + [.int8(Int64(maxBytes))])
    }

    /// Returns the positions of the records that ``members(in:limit:maxBytes:)`` found. `records` are these records, in
    /// the same order.
    package static func positions(of records: [StoredRecord], _ result: PostgresResult) -> [SharedPosition] {
        zip(records, result).map { record, row in
            SharedPosition(
                seq: row.int64(RecordTable.columnCount), recordSeq: record.membership?.seq ?? 0, name: record.name)
        }
    }

    /// Returns whether each of the records that ``members(in:limit:maxBytes:)`` found is visible.
    package static func visible(_ result: PostgresResult) -> [Bool] {
        result.map { $0.bool(RecordTable.columnCount + 1) }
    }

    /// Reads up to `limit` records in `range` that the user could see but can no longer see: records that left a share,
    /// and records in shares to which the user lost access; ``gone(_:)`` decodes them.
    ///
    /// A record is included if it was in the share while the user had access. All records in a share to which the user
    /// lost access have the position of the change that ended the access.
    package func gone(in range: SharedFeedRange, limit: Int) -> PostgresCall {
        let table = environment.recordTable
        let way = range.descends ? "desc" : "asc"
        return PostgresCall(
            PostgresStatement(
                """
                select g.name, g.shown_seq, g.seq from (
                    select d.name, coalesce(a.shown, d.seq) as shown_seq, d.seq
                    from \(Self.streams(4))
                    cross join lateral (
                        select d.name, d.seq from record.departure d
                        where d.zone = $2 and d.share = a.share and (d.seq, d.name) > (a.seq, a.name)
                            and (d.seq, d.name) < (a.before_seq, a.before_name)
                            and d.since <= coalesce(a.shown, d.since)
                            and not exists (select from \(table) v where v.environment = $1 and v.zone = $2
                                and v.name = d.name and v.fields is not null and v.share = any($18) offset 0)
                        order by d.seq \(way), d.name \(way) limit $3) d
                    union all
                    select r.name, a.shown, r.share_seq
                    from \(Self.streams(11))
                    cross join lateral (
                        select r.name, r.share_seq from \(table) r
                        where r.environment = $1 and r.zone = $2 and r.share = a.share
                            and (r.share_seq, r.name) > (a.seq, a.name)
                            and (r.share_seq, r.name) < (a.before_seq, a.before_name) and r.share_since <= a.shown
                            and (r.fields is not null or r.share_seq > a.known)
                        order by r.share_seq \(way), r.name \(way) limit $3) r) g
                order by g.shown_seq \(way), g.seq \(way), g.name \(way) limit $3
                """),
            parameters(access.departed(in: range), limit: limit) + Self.parameters(access.lost(in: range))
                + [.int8Array(access.shares.map(\.id.rawValue))])
    }

    /// Returns the positions of the records that ``gone(in:limit:)`` found.
    package static func gone(_ result: PostgresResult) -> [SharedPosition] {
        result.map { SharedPosition(seq: $0.int64(1), recordSeq: $0.int64(2), name: $0.recordName(0)) }
    }
}
