package import CloudKitModel
package import Foundation
package import PostgresClient

/// The SQL statements for zones.
package enum ZoneTable {
    /// A locked zone.
    package struct Locked: Sendable {
        /// The row of the zone.
        package let row: ZoneRow
        /// The number of the zone's last change.
        package let changeSeq: Int64
        /// Whether the zone has been deleted since the directory cached it.
        package let isDeleted: Bool
        /// Whether a background job is about to delete records in the zone (``CascadeTable``).
        package let isCascading: Bool
        /// The kind of shares in the zone.
        package let sharing: ZoneSharing
        /// The moves that a background job completes in the zone (``ShareMoveTable``).
        package let moves: ShareMoves
    }

    /// Locks `zones` in order of their ids; ``locked(_:)`` decodes the result. If `waiting` is false, zones that
    /// another transaction has locked are skipped, so that no transaction waits while it holds a lock. If `waiting` is
    /// true, `zones` must contain only one zone.
    ///
    /// The lock (`no key update`) blocks other writers of the zone until the commit, because `change_seq` is assigned
    /// under the lock. It does not block readers.
    package static func lock(_ zones: [ZoneRow], waiting: Bool) -> PostgresCall {
        PostgresCall(
            waiting ? waitingStatement : skippingStatement, [.int8Array(zones.sorted().map(\.rawValue))])
    }

    private static let waitingStatement: PostgresStatement = """
        select id, change_seq, deleted_at is not null, is_cascading, sharing, share_moves
        from record.zone where id = any($1)
        order by id for no key update
        """

    private static let skippingStatement: PostgresStatement = """
        select id, change_seq, deleted_at is not null, is_cascading, sharing, share_moves
        from record.zone where id = any($1)
        order by id for no key update skip locked
        """

    /// Locks the zone called `name` if it exists, and prevents its creation otherwise. Until the transaction ends, no
    /// other transaction can write to the zone or delete it, and none can create any zone in the database, because the
    /// database's row, to which a new zone refers, is locked.
    package static func lock(_ name: ZoneName, in database: DatabaseEntry) -> [PostgresCall] {
        [
            PostgresCall("select id from record.database where id = $1 for update", [.int8(database.id)]),
            PostgresCall(
                """
                select id from record.zone where database = $1 and name = $2 and deleted_at is null
                for no key update
                """, [.int8(database.id), .text(name.rawValue)]),
        ]
    }

    /// Returns the zones that ``lock(_:waiting:)`` locked.
    package static func locked(_ result: PostgresResult) -> [ZoneRow: Locked] {
        var zones: [ZoneRow: Locked] = [:]
        for row in result {
            let zone = ZoneRow(row.int64(0))
            zones[zone] = Locked(
                row: zone, changeSeq: row.int64(1), isDeleted: row.bool(2), isCascading: row.bool(3),
                sharing: ZoneSharing(rawValue: row.int16(4)) ?? .none,
                moves: ShareMoves(rawValue: row.int16(5)) ?? .none)
        }
        return zones
    }

    /// Reads the state of a zone; ``state(_:)`` decodes it.
    ///
    /// The counter must be read before the zone's records, so that it is lower than the numbers of changes committed in
    /// between. The other columns must be read after the records, because otherwise a removal of records or tombstones
    /// in between would go unnoticed. Reading everything in one snapshot of the database satisfies both conditions.
    package static func state(of zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            """
            select change_seq, purge_mark, deleted_at is not null, is_cascading, sharing, departure_mark,
                share_moves
            from record.zone where id = $1
            """,
            [.int8(zone.rawValue)])
    }

    /// Returns the state that ``state(of:)`` found; nil if the row no longer exists.
    package static func state(_ result: PostgresResult) -> ZoneState? {
        result.first.map {
            ZoneState(
                changeSeq: $0.int64(0), purgeMark: $0.int64(1), departureMark: $0.int64(5), isDeleted: $0.bool(2),
                isCascading: $0.bool(3),
                sharing: ZoneSharing(rawValue: $0.int16(4)) ?? .none,
                moves: ShareMoves(rawValue: $0.int16(6)) ?? .none)
        }
    }

    /// Reads the incarnation of a live zone; ``incarnation(_:)`` decodes it.
    package static func incarnation(of zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            "select incarnation from record.zone where id = $1 and deleted_at is null", [.int8(zone.rawValue)])
    }

    /// Returns the incarnation that ``incarnation(of:)`` found; nil if the zone was deleted.
    package static func incarnation(_ result: PostgresResult) -> UUID? { result.first?.uuid(0) }

    /// Raises the counters of changed zones and marks the zones as changed for the database feed.
    package static func advance(_ counters: [(zone: ZoneRow, seq: Int64)]) -> PostgresCall {
        PostgresCall(
            """
            update record.zone set change_seq = ($2::int8[])[array_position($1::int8[], id)],
                changed_xid = pg_current_xact_id()
            where id = any($1)
            """,
            [.int8Array(counters.map(\.zone.rawValue)), .int8Array(counters.map(\.seq))])
    }

    /// Raises the counter of a zone whose records only entered or left shares. For the owner's database feed, the zone
    /// has not changed.
    package static func raise(_ zone: ZoneRow, to seq: Int64) -> PostgresCall {
        PostgresCall(
            "update record.zone set change_seq = $2 where id = $1", [.int8(zone.rawValue), .int8(seq)])
    }

    /// Raises the departure marks of zones whose departures and ended shares up to the given numbers have been deleted.
    /// The zones must be locked.
    static func raiseDepartureMarks(_ marks: [(zone: ZoneRow, seq: Int64)]) -> PostgresCall {
        PostgresCall(
            """
            update record.zone
            set departure_mark = greatest(departure_mark, ($2::int8[])[array_position($1::int8[], id)])
            where id = any($1)
            """,
            [.int8Array(marks.map(\.zone.rawValue)), .int8Array(marks.map(\.seq))])
    }

    /// Raises the purge marks of zones whose tombstones up to the given numbers have been deleted. The zones must be
    /// locked.
    static func raisePurgeMarks(_ marks: [(zone: ZoneRow, seq: Int64)]) -> PostgresCall {
        PostgresCall(
            """
            update record.zone
            set purge_mark = greatest(purge_mark, ($2::int8[])[array_position($1::int8[], id)]) where id = any($1)
            """,
            [.int8Array(marks.map(\.zone.rawValue)), .int8Array(marks.map(\.seq))])
    }
}
