internal import PostgresClient

extension BlobTable {
    /// Counts all blobs. Reads every row with a sequential scan.
    ///
    /// - Parameter delay: the time that must pass after a blob's due time before the blob counts as late.
    /// - Throws: `PostgresError`.
    package func counts(lateAfter delay: Duration) async throws -> BlobCounts {
        let rows = try await pool.withTransaction { connection in
            // Sessions disable sequential scans, because no statement except this one needs them.
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
        return BlobCounts(
            blobs: row.int64(0), bytes: row.int64(1), waiting: row.int64(2), due: row.int64(3), late: row.int64(4),
            damaged: row.int64(5), unverified: row.int64(6), strays: row.int64(7))
    }
}
