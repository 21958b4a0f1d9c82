internal import PostgresClient

/// What is stored, and what of it is condemned.
struct BlobStock: Sendable, Equatable {
    /// All blobs.
    var blobs: Int64
    /// Their bytes.
    var bytes: Int64
    /// Condemned, and their time has not come.
    var waiting: Int64
    /// Condemned, and their time has just come.
    var due: Int64
    /// Condemned, and their time came long ago.
    var late: Int64
    /// Quarantined.
    var damaged: Int64
    /// How long ago the bytes of the blob were verified that waits longest, milliseconds.
    var unverified: Int64
    /// Files without a row that are known.
    var strays: Int64
}

extension BlobTable {
    /// Counts all blobs. Reads every row, in the order in which they lie on the disk.
    ///
    /// - Parameter delay: how long after its due time a blob counts as late.
    /// - Throws: `PostgresError`.
    func stock(lateAfter delay: Duration) async throws -> BlobStock {
        let rows = try await pool.withTransaction { connection in
            // Sessions avoid this plan, which no other statement wants.
            _ = try await connection.query(PostgresStatement("set local enable_seqscan = on"))
            return try await connection.query(
                """
                select count(*), coalesce(sum(size), 0)::int8, count(*) filter (where due > now()),
                    count(*) filter (where due <= now() and due >= now() - make_interval(secs => $1)),
                    count(*) filter (where due < now() - make_interval(secs => $1)),
                    count(*) filter (where damage is not null),
                    coalesce(extract(epoch from now() - min(verified_at)) * 1000, 0)::int8,
                    (select count(*) from asset.stray)
                from asset.blob
                """, [.float8(Double(delay.components.seconds))])
        }
        let row = rows[0]
        return BlobStock(
            blobs: row.int64(0), bytes: row.int64(1), waiting: row.int64(2), due: row.int64(3), late: row.int64(4),
            damaged: row.int64(5), unverified: row.int64(6), strays: row.int64(7))
    }
}
