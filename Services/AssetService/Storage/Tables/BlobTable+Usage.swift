internal import PostgresClient

/// What a database holds.
struct DatabaseUsage: Sendable, Equatable {
    var environment: String
    var scope: String
    var owner: String
    var bytes: Int64
    var blobs: Int64
}

/// What a container has.
struct ContainerUsage: Sendable, Equatable {
    /// Live contents, each once.
    var bytes: Int64
    var blobs: Int64
    /// Condemned ones, which take room on the disk but count for nobody.
    var condemnedBytes: Int64
    /// Its own quotas, as they are stored: nil, the setting's; negative, none.
    var containerBytes: Int64?
    var userBytes: Int64?
}

extension BlobTable {
    /// What a container has.
    func usage(of container: String) async throws -> ContainerUsage {
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

    /// What a container's databases hold, the most first: of one owner or of all; and how many databases there are.
    func databases(of container: String, owner: String?, limit: Int) async throws -> ([DatabaseUsage], total: Int64) {
        let rows = try await query(
            """
            select environment, scope, owner, sum(bytes)::int8, sum(blobs)::int8, count(*) over ()
            from asset.database_usage where container = $1 and ($2::text is null or owner = $2)
            group by environment, scope, owner having sum(blobs) > 0 order by 4 desc, 1, 2, 3 limit $3
            """, [.text(container), .text(owner), .int4(Int32(limit))])
        let databases = rows.map {
            DatabaseUsage(
                environment: $0.string(0), scope: $0.string(1), owner: $0.string(2), bytes: $0.int64(3),
                blobs: $0.int64(4))
        }
        return (databases, rows.first?.int64(5) ?? 0)
    }

    /// Gives a container quotas of its own: nil is the setting's, a negative one none.
    func setQuota(of container: String, containerBytes: Int64?, userBytes: Int64?) async throws {
        _ = try await query(
            """
            insert into asset.quota (container, container_bytes, user_bytes) values ($1, $2, $3)
            on conflict (container) do update
                set container_bytes = excluded.container_bytes, user_bytes = excluded.user_bytes
            """, [.text(container), .int8(containerBytes), .int8(userBytes)])
    }
}
