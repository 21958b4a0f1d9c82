internal import CloudKitModel
package import Foundation
package import PostgresClient
package import ServiceMessages

/// A row of the change log with the full name of its zone. The other values are decoded when they are accessed.
package struct LoggedChanges: Sendable {
    private let row: PostgresRow
    /// The full name of the zone; nil if its container no longer exists, in which case ``rights`` must not be accessed.
    package let address: ZoneAddress?

    fileprivate init(_ row: PostgresRow) throws(StoredValueError) {
        self.row = row
        address = row.isNull(0) ? nil : try ZoneAddress(row, from: 0)
    }

    /// The row of the zone.
    package var zone: ZoneRow { ZoneRow(row.int64(13)) }
    /// The zone's incarnation.
    package var incarnation: UUID { row.uuid(5) }
    /// The number of the first change.
    package var fromSeq: Int64 { row.int64(6) }
    /// The number of the last change.
    package var toSeq: Int64 { row.int64(7) }
    /// The id of the transaction.
    package var xid: UInt64 { row.xid8(8) }
    /// The client that made the changes, if known.
    package var client: String? { row.stringIfPresent(9) }
    /// The user who made the changes.
    package var user: String { row.string(10) }
    /// The time of the changes, in milliseconds since 1970.
    package var at: Int64 { row.milliseconds(11) }
    /// The changes as a JSON array.
    package var records: [UInt8] { row.jsonb(12) }
    /// Whether the changes name records. A change by which records only enter or leave shares names none.
    package var namesRecords: Bool { row.byteCount(12) > Self.emptyList }
    /// The size of the JSON array without elements, in bytes.
    private static let emptyList = 3
    /// The environment's rights; see ``EnvironmentSchema/rights``.
    package var rights: Int64 { row.int64(16) }
    /// Whether the zone was deleted.
    package var isDeletion: Bool { row.bool(17) }
    /// Whether another row follows within the row limit. If this is true for the last row of a page, the page ended
    /// because of `maxBytes`.
    package var isFollowed: Bool { row.bool(18) }
    /// The live zone-wide share; nil if there is none.
    package var zoneShare: Int64? { row.int64IfPresent(19) }
    /// Whether the zone contains shares.
    package var isShared: Bool { row.bool(20) }
}

/// A zone whose log is read.
package struct LoggedZone: Sendable {
    /// The row of the zone.
    package let row: ZoneRow
    /// The row of the zone's environment.
    package let environment: EnvironmentRow
    /// The number of the zone's last change.
    package let counter: Int64
    /// The id of the transaction that made the zone's last change.
    package let xid: UInt64
    /// The current time according to the database's clock, in milliseconds since 1970.
    package let now: Int64
    /// The environment's rights.
    package let rights: Int64
    /// Whether the zone was deleted.
    package let isDeleted: Bool
    /// Whether the zone contains shares, ended or not.
    package let hasShares: Bool
    /// The live zone-wide share; nil if there is none.
    package let zoneShare: Int64?
    /// The full name of the zone.
    package let address: ZoneAddress

    fileprivate init(_ row: PostgresRow) throws {
        self.row = ZoneRow(row.int64(0))
        environment = EnvironmentRow(row.int32(1))
        (counter, xid, now) = (row.int64(2), row.xid8(3), row.milliseconds(4))
        address = try ZoneAddress(row, from: 5)
        (rights, isDeleted) = (row.int64(10), row.bool(11))
        (hasShares, zoneShare) = (row.bool(12), row.int64IfPresent(13))
    }
}

/// A place in a sweep over the logs of all zones: the last row read.
package struct SweepPlace: Sendable {
    /// The id of the transaction.
    package var xid: UInt64 = 0
    /// The row of the zone.
    package var zone: Int64 = 0
    /// The number of the last change in the row.
    package var seq: Int64 = 0

    /// Creates the place at the beginning of a sweep.
    package init() {}

    /// Creates a place from its parts.
    package init(xid: UInt64, zone: Int64, seq: Int64) { (self.xid, self.zone, self.seq) = (xid, zone, seq) }

    /// Creates the place of a row.
    package init(_ row: LoggedChanges) { self.init(xid: row.xid, zone: row.zone.rawValue, seq: row.toSeq) }
}

extension ChangeLog {
    /// The SQL expression for the id of the live zone-wide share of the zone `z`; null if there is none.
    private static let zoneShare = """
        case when z.sharing = 2 then (
            select s.id from record.share s where s.zone = z.id and s.root is null and s.ended_seq is null) end
        """

    /// Reads a zone, deleted or not, by its incarnation; ``zone(_:)`` decodes it.
    package static func zone(_ incarnation: UUID) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select z.id, e.id, z.change_seq, z.changed_xid, now(), c.name, e.name, d.scope, d.owner, z.name, e.rights,
                    z.deleted_at is not null, exists (select from record.share s where s.zone = z.id), \(zoneShare)
                from record.zone z join record.database d on d.id = z.database
                join record.environment e on e.id = d.environment join record.container c on c.id = e.container
                where z.incarnation = $1
                """), [.uuid(incarnation)])
    }

    /// Returns the zone that ``zone(_:)`` found; nil if there is none.
    ///
    /// - Throws: `StoredValueError`.
    package static func zone(_ result: PostgresResult) throws -> LoggedZone? { try result.first.map(LoggedZone.init) }

    /// Reads the rows of a zone's log after change number `seq`, up to `limit` rows and about `maxBytes`, but at least
    /// one row; ``rows(_:)`` decodes them.
    package static func rows(of incarnation: UUID, after seq: Int64, limit: Int64, maxBytes: Int) -> PostgresCall {
        PostgresCall(
            statement(where: "z.incarnation = $1 and l.to_seq > $2", order: "l.to_seq"),
            [.uuid(incarnation), .int8(seq), .int8(limit), .int8(Int64(maxBytes))])
    }

    /// Reads a page of the logs of all zones, starting after `place`: the changes that are visible in the snapshot
    /// `upTo` but not in the snapshot `since`; ``rows(_:)`` decodes them.
    package static func sweep(
        since: String, upTo: String, after place: SweepPlace, limit: Int64, maxBytes: Int
    ) -> PostgresCall {
        PostgresCall(
            sweepStatement,
            [
                .text(since), .text(upTo), .int8(limit), .int8(Int64(maxBytes)), .xid8(place.xid), .int8(place.zone),
                .int8(place.seq),
            ])
    }

    /// Returns the rows that ``rows(of:after:limit:maxBytes:)`` or ``sweep(since:upTo:after:limit:maxBytes:)`` found.
    ///
    /// - Throws: `StoredValueError`.
    package static func rows(_ result: PostgresResult) throws -> [LoggedChanges] { try result.map(LoggedChanges.init) }

    /// Reads the current snapshot, in one column.
    package static let snapshot: PostgresStatement = "select pg_current_snapshot()::text"

    /// Reads, in all zones, the changes that are not visible in a snapshot: the changes of transactions from the
    /// snapshot's `xmax` on, and of transactions that were in progress when the snapshot was taken. The statement does
    /// not read everything from the snapshot's `xmin` on, because a long transaction would then make every sweep read
    /// the log since the start of that transaction.
    ///
    /// Both parts begin where the previous page ended, and read no more than one page. The statement is planned for
    /// each execution, because the planner must know the snapshots to recognize that they select only a small part of
    /// the log. A generic plan would read the whole log for each page.
    static let sweepStatement = statement(
        log: """
            (
                (\(part("l.xid >= greatest(pg_snapshot_xmax($1::text::pg_snapshot), $5)")))
                union all
                (\(part("l.xid = any (array(select pg_snapshot_xip($1::text::pg_snapshot))) and l.xid >= $5")))
            )
            """,
        where: "true", order: sweepOrder, isPrepared: false)

    private static let sweepOrder = "l.xid, l.zone, l.to_seq"

    /// Returns SQL for the next page of the changes that meet a condition. No page contains changes after the sweep's
    /// end.
    private static func part(_ condition: String) -> String {
        """
        select * from record.change l
        where \(condition) and l.xid < pg_snapshot_xmax($2::text::pg_snapshot)
            and pg_visible_in_snapshot(l.xid, $2::text::pg_snapshot) and (\(sweepOrder)) > ($5, $6, $7)
        order by \(sweepOrder) limit $3
        """
    }

    /// The size of a row's records, in bytes.
    private static let size = "coalesce(l.bytes, octet_length(l.records::text))"

    /// Returns the statement that reads rows of `log` with all values that an event contains. A row whose container is
    /// gone has no address. The last column indicates whether another row follows.
    private static func statement(
        log: String = "record.change", where condition: String, order: String, isPrepared: Bool = true
    ) -> PostgresStatement {
        PostgresStatement(
            """
            select * from (
                select c.name as container, e.name as environment, d.scope, d.owner, z.name, l.incarnation, l.from_seq,
                    l.to_seq, l.xid, l.client, l.user_name, l.at, l.records, l.zone, \(size) as size,
                    sum(\(size)) over (order by \(order)) as running, e.rights, l.is_deletion,
                    lead(l.zone) over (order by \(order)) is not null, \(zoneShare) as zone_share,
                    coalesce(z.sharing, 0) <> 0 as is_shared
                from \(log) l left join record.zone z on z.id = l.zone left join record.database d on d.id = z.database
                left join record.environment e on e.id = d.environment
                left join record.container c on c.id = e.container
                where \(condition) order by \(order) limit $3) l
            where l.running <= $4 or l.running = l.size order by \(order)
            """, isPrepared: isPrepared)
    }
}

extension ZoneAddress {
    /// Decodes five columns, starting at `first`: container, environment, scope, owner, zone.
    fileprivate init(_ row: PostgresRow, from first: Int) throws(StoredValueError) {
        self.init(
            container: row.string(first),
            environment: try EnvironmentName(stored: row.string(first + 1), column: "record.environment.name"),
            scope: try DatabaseScope(stored: row.int16(first + 2), column: "record.database.scope"),
            owner: row.string(first + 3), zone: ZoneName(unchecked: row.string(first + 4)))
    }
}
