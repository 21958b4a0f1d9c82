package import Foundation
internal import PostgresClient
package import ServiceMessages

/// From condemned to deleted.
///
/// To condemn is optimistic: that nothing uses a blob was true when it was asked, and a record may be saved meanwhile.
/// To delete is not: the foreign key of the records' uses refuses it (23503), whatever was believed.
extension BlobTable {
    /// Those of a container's contents that may be condemned if no record uses them: no receipt is good any more.
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

    /// All such contents, by id from `last` on, up to `limit`.
    package func candidates(after last: BlobID, limit: Int) async throws -> [(id: BlobID, container: String)] {
        try await query(
            """
            select id, container from asset.blob where id > $1 and state = 'live' and receipt_until < now()
            order by id limit $2
            """, [.int8(last.rawValue), .int4(Int32(limit))]
        ).map { (BlobID(rawValue: $0.int64(0)), $0.string(1)) }
    }

    /// Condemns blobs, unless a receipt was given for one meanwhile: they are due when `grace` is over.
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

    /// What became of a condemned blob.
    package enum Deletion: Sendable, Equatable {
        /// Its row, as it was, is gone; the file under its key is nobody's.
        case deleted(StoredBlob)
        /// A record uses it again.
        case revived
        /// Not condemned any more, not due, or gone.
        case passedOver
    }

    /// Deletes a condemned blob that is due, unless a record uses it: then it lives again.
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

    /// Condemned blobs whose time came longer than `delay` ago: their jobs were lost.
    package func overdue(by delay: Duration, limit: Int) async throws -> [BlobID] {
        try await query(
            """
            select id from asset.blob where state = 'condemned' and due < now() - make_interval(secs => $1)
            order by due, id limit $2
            """, [.float8(Double(delay.components.seconds)), .int4(Int32(limit))]
        ).map { BlobID(rawValue: $0.int64(0)) }
    }

    /// The condemned blobs, next due first, of one container or of all; and how many there are.
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

    /// Which of these files are a row's.
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
