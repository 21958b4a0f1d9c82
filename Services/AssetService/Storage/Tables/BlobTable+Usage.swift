internal import CloudKitModel
internal import PostgresClient

/// The sums of stored bytes.
extension BlobTable {
    /// Returns the number and total size of a container's blobs, and the container's quotas.
    package func usage(of container: String) async throws -> ContainerUsage {
        let row = try await query(
            """
            select coalesce(sum(u.bytes), 0)::int8, coalesce(sum(u.blobs), 0)::int8,
                (select coalesce(sum(size), 0)::int8 from asset.blob where state = 'condemned' and container = $1),
                (select container_bytes from asset.quota where container = $1),
                (select user_bytes from asset.quota where container = $1)
            from asset.container_usage u where u.container = $1
            """, [.text(container)])[0]
        return ContainerUsage(
            bytes: row.int64(0), blobs: row.int64(1), condemnedBytes: row.int64(2),
            containerBytes: row.int64IfPresent(3), userBytes: row.int64IfPresent(4))
    }

    /// Returns the number and total size of the blobs that each database of a container holds, beginning with the
    /// database that holds the most bytes. Also returns the total number of databases.
    ///
    /// - Parameters:
    ///   - owner: the owner of the databases; nil for all owners.
    ///   - limit: the maximum number of databases in the result.
    /// - Throws: `PostgresError`, or `StoredValueError`.
    package func databases(of container: String, owner: String?, limit: Int) async throws -> (
        [DatabaseUsage], total: Int64
    ) {
        let rows = try await query(
            """
            select environment, scope, owner, sum(bytes)::int8, sum(blobs)::int8, count(*) over ()
            from asset.database_usage where container = $1 and ($2::text is null or owner = $2)
            group by environment, scope, owner having sum(blobs) > 0 order by 4 desc, 1, 2, 3 limit $3
            """, [.text(container), .text(owner), .int4(Int32(limit))])
        let databases = try rows.map {
            DatabaseUsage(
                environment: try EnvironmentName(stored: $0.string(0), column: "asset.database_usage.environment"),
                scope: try DatabaseScope(stored: $0.string(1), column: "asset.database_usage.scope"),
                owner: $0.string(2), bytes: $0.int64(3), blobs: $0.int64(4))
        }
        return (databases, rows.first?.int64(5) ?? 0)
    }
}
