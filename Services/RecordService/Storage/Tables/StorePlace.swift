internal import PostgresClient

/// Where a store is: the same as long as every acknowledged commit is in it.
struct StorePlace: Sendable, Equatable {
    /// The cluster's (`pg_control_system()`).
    var systemIdentifier: Int64
    /// The number of the timeline that the server writes.
    var timeline: Int64
    /// The oid of `record.store`.
    var relation: Int64

    /// What another place means, for the log.
    func change(since former: StorePlace) -> String {
        if systemIdentifier != former.systemIdentifier { return "another cluster" }
        if timeline != former.timeline { return "timeline \(timeline) after \(former.timeline)" }
        return "the tables were made again"
    }
}

/// What one look at the store finds.
struct StoreSighting: Sendable {
    /// The incarnation's row, as PostgreSQL writes it.
    var incarnation: String
    /// Its first eight bytes.
    var token: UInt64
    /// The place that the row notes; nil: none yet.
    var noted: StorePlace?
    /// The server's own; nil: it is in recovery, and says nothing.
    var present: StorePlace?
    /// How far the server's log is, in bytes.
    var position: Int64

    /// Reads a row of ``statement``.
    init?(_ row: PostgresRow) {
        incarnation = row.string(0)
        let digits = incarnation.filter { $0 != "-" }.prefix(16)
        guard let token = UInt64(digits, radix: 16) else { return nil }
        self.token = token
        if !row.isNull(1), !row.isNull(2), !row.isNull(3) {
            noted = StorePlace(systemIdentifier: row.int64(1), timeline: row.int64(2), relation: row.int64(3))
        }
        position = row.int64IfPresent(7) ?? 0
        if !row.isNull(5) {
            present = StorePlace(systemIdentifier: row.int64(4), timeline: row.int64(5), relation: row.int64(6))
        }
    }

    /// One row. Every role may ask all of it. The timeline is that of the file being written: the one of the last
    /// checkpoint still is the former one for a while after a promotion.
    static let statement: PostgresStatement = """
        select s.incarnation::text, s.system_identifier, s.timeline, s.relation::int8,
            (select c.system_identifier from pg_control_system() c),
            case when not pg_is_in_recovery()
                then ('x' || lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0'))::bit(64)::int8 end,
            s.tableoid::int8,
            case when not pg_is_in_recovery() then (pg_current_wal_lsn() - '0/0'::pg_lsn)::int8 end
        from record.store s
        """
}
