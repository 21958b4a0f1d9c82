package import Foundation
internal import PostgresClient

/// The verification of files.
extension BlobTable {
    /// Takes the least recently verified blob, provided that it was verified more than `interval` ago. A blob in
    /// quarantine is taken before all others if it was verified more than `damagedInterval` ago. Other instances do not
    /// take the blob for the duration of `lease`.
    package func takeForScrub(
        interval: Duration, damagedInterval: Duration, lease: Duration
    ) async throws -> StoredBlob? {
        // Blobs in quarantine come first, because they are few and clients cannot download them.
        for (condition, interval) in [("damage is not null", damagedInterval), ("damage is null", interval)] {
            let rows = try await query(
                PostgresStatement(
                    """
                    update asset.blob b set looked_at = now() - make_interval(secs => $1) + make_interval(secs => $2)
                    where b.id = (
                        select id from asset.blob
                        where looked_at < now() - make_interval(secs => $1) and \(condition)
                        order by looked_at limit 1 for no key update skip locked)
                    returning \(Self.columns)
                    """), [.float8(interval / .seconds(1)), .float8(lease / .seconds(1))])
            if let row = rows.first { return Self.blob(row) }
        }
        return nil
    }

    /// Records that a file is intact.
    ///
    /// - Returns: whether the blob was in quarantine.
    package func verified(_ blob: BlobID, _ generation: UUID) async throws -> Bool {
        try await query(
            """
            with was as (select id, damage from asset.blob where id = $1 and generation = $2 for no key update)
            update asset.blob b set looked_at = now(), verified_at = now(), damage = null, damaged_at = null
            from was where b.id = was.id returning was.damage is not null
            """, [.int8(blob.rawValue), .uuid(generation)]
        ).first?.bool(0) == true
    }

    /// Quarantines a blob, unless the blob has been deleted or given a different file in the meantime.
    ///
    /// - Returns: true if the blob was not already in quarantine.
    package func quarantine(_ blob: BlobID, _ generation: UUID, _ damage: StoredBlob.Damage.Kind) async throws -> Bool {
        try await query(
            """
            with was as (select id, damage from asset.blob where id = $1 and generation = $2 for no key update)
            update asset.blob b set looked_at = now(), damage = $3, damaged_at = coalesce(damaged_at, now())
            from was where b.id = was.id returning was.damage is null
            """, [.int8(blob.rawValue), .uuid(generation), .text(damage.rawValue)]
        ).first?.bool(0) == true
    }

    /// Makes the scrub verify a blob next, because a download found its file missing or damaged.
    package func suspect(_ blob: BlobID, _ generation: UUID) async throws {
        _ = try await query(
            "update asset.blob set looked_at = '-infinity' where id = $1 and generation = $2",
            [.int8(blob.rawValue), .uuid(generation)])
    }

    /// Returns up to `limit` blobs in quarantine, in the order in which they were quarantined, and the total number of
    /// blobs in quarantine.
    ///
    /// - Parameter container: the container of the blobs; nil for all containers.
    package func quarantined(in container: String?, limit: Int) async throws -> (blobs: [StoredBlob], total: Int64) {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall(
                    PostgresStatement(
                        """
                        select \(Self.columns) from asset.blob b
                        where b.damage is not null and ($1::text is null or b.container = $1)
                        order by b.damaged_at, b.id limit $2
                        """), [.text(container), .int4(Int32(limit))]),
                PostgresCall(
                    """
                    select count(*) from asset.blob b
                    where b.damage is not null and ($1::text is null or b.container = $1)
                    """, [.text(container)]),
            ])
        }
        return (results[0].map(Self.blob), results[1][0].int64(0))
    }
}
