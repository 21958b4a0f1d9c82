package import Foundation
internal import PostgresClient
package import ServiceMessages

/// The deletion of blobs.
///
/// Condemning a blob is optimistic, because a record that uses the blob might be saved in the meantime. Deleting a blob
/// is safe, because the foreign key from asset uses to blobs prevents the deletion of a blob in use (23503).
extension BlobTable {
    /// Returns the live blobs that have one of these checksums but no valid receipt. They can be condemned if no record
    /// uses them.
    package func candidates(among checksums: [AssetChecksum], in container: String) async throws -> [BlobID] {
        try await query(
            """
            select b.id from unnest($2::bytea[]) as k(sha256)
            cross join lateral (select * from asset.blob b
                where b.container = $1 and b.sha256 = k.sha256 offset 0) b
            where b.state = 'live' and b.receipt_until < now()
            """, [.text(container), .byteaArray(checksums.map(\.bytes))]
        ).map { BlobID(rawValue: $0.int64(0)) }
    }

    /// Reads up to `limit` live blobs without a valid receipt, in order of id, starting after `last`.
    package func candidates(after last: BlobID, limit: Int) async throws -> [(id: BlobID, container: String)] {
        try await query(
            """
            select id, container from asset.blob where id > $1 and state = 'live' and receipt_until < now()
            order by id limit $2
            """, [.int8(last.rawValue), .int4(Int32(limit))]
        ).map { (BlobID(rawValue: $0.int64(0)), $0.string(1)) }
    }

    /// Condemns blobs, except those for which a receipt has been issued in the meantime. Returns the condemned blobs,
    /// which become due after `grace`.
    package func condemn(_ blobs: [BlobID], grace: Duration) async throws -> [StoredBlob] {
        try await query(
            PostgresStatement(
                """
                update asset.blob b set state = 'condemned', condemned_at = now(), due = now() + make_interval(secs => $2)
                where b.id = any($1) and b.state = 'live' and b.receipt_until < now()
                returning \(Self.columns)
                """), [.int8Array(blobs.map(\.rawValue)), .float8(Double(grace.components.seconds))]
        ).map(Self.blob)
    }

    /// The result of a deletion.
    package enum Deletion: Sendable, Equatable {
        /// The row was deleted. The blob's file can now be removed.
        case deleted(StoredBlob)
        /// A record uses the blob, so the blob is live again.
        case revived
        /// The blob does not exist, is not condemned, or is not due.
        case passedOver
    }

    /// Deletes a condemned blob that is due, unless a record uses it. Takes one round trip, or two if the blob is in
    /// use.
    package func delete(_ id: BlobID) async throws -> Deletion {
        do {
            let rows = try await query(
                PostgresStatement(
                    """
                    delete from asset.blob b where b.id = $1 and b.state = 'condemned' and b.due <= now()
                    returning \(Self.columns)
                    """), [.int8(id.rawValue)])
            return rows.first.map { .deleted(Self.blob($0)) } ?? .passedOver
        } catch let error as PostgresError where error.sqlState == .foreignKeyViolation {
            let revived = try await query(
                """
                update asset.blob set state = 'live', condemned_at = null, due = null
                where id = $1 and state = 'condemned'
                """, [.int8(id.rawValue)])
            return revived.affectedRows > 0 ? .revived : .passedOver
        }
    }

    /// Returns up to `limit` condemned blobs that have been due for longer than `delay`. The messages that should have
    /// started their deletion were lost.
    package func overdue(by delay: Duration, limit: Int) async throws -> [BlobID] {
        try await query(
            """
            select id from asset.blob where state = 'condemned' and due < now() - make_interval(secs => $1)
            order by due, id limit $2
            """, [.float8(Double(delay.components.seconds)), .int4(Int32(limit))]
        ).map { BlobID(rawValue: $0.int64(0)) }
    }

    /// Returns up to `limit` condemned blobs, in order of due time, and the total number of condemned blobs.
    ///
    /// - Parameter container: the container of the blobs; nil for all containers.
    package func jobs(in container: String?, limit: Int) async throws -> (blobs: [StoredBlob], total: Int64) {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall(
                    PostgresStatement(
                        """
                        select \(Self.columns) from asset.blob b
                        where b.state = 'condemned' and ($1::text is null or b.container = $1)
                        order by b.due, b.id limit $2
                        """), [.text(container), .int4(Int32(limit))]),
                PostgresCall(
                    """
                    select count(*) from asset.blob b
                    where b.state = 'condemned' and ($1::text is null or b.container = $1)
                    """, [.text(container)]),
            ])
        }
        return (results[0].map(Self.blob), results[1][0].int64(0))
    }

    /// Returns the elements of `generations` that have a row.
    package func known(_ generations: [UUID]) async throws -> Set<UUID> {
        Set(
            try await query(
                """
                select b.generation from unnest($1::uuid[]) as k(generation)
                cross join lateral (select * from asset.blob b where b.generation = k.generation offset 0) b
                """, [.uuidArray(generations)]
            ).map { $0.uuid(0) })
    }
}
