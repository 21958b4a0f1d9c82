internal import CloudKitModel
package import Foundation
package import PostgresClient
package import ServiceMessages

/// The operations on `asset.blob`, which has one row for each checksum in each container, and on the tables that belong
/// to it. Unless stated otherwise, each operation is one round trip and one transaction. All operations throw
/// `PostgresError`.
package struct BlobTable: Sendable {
    let pool: PostgresPool

    /// Creates the operations, which use `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// The result of recording an upload.
    package struct Arrival: Sendable, Equatable {
        /// The id of the content's row.
        package var id: BlobID
        /// The generation of the row's file: the file of this upload or of an earlier one.
        package var generation: UUID
        /// The expiry of this upload's receipt, in milliseconds since 1970.
        package var receiptExpiresAt: Int64
        /// Whether the blob was condemned.
        package var isRevived: Bool
        /// Whether the blob is in quarantine.
        package var isDamaged: Bool
        /// Whether the upload's database did not already hold the content.
        package var isNewHolder: Bool
    }

    /// Records uploaded content: inserts its row or makes the existing row live, and keeps the content for at least
    /// `receiptLife`. From then on, the database `scope` holds the content.
    ///
    /// If two uploads of the same content arrive, the unique key lets only one insert succeed, and the row keeps the
    /// generation of the first upload.
    package func arrive(
        _ checksum: AssetChecksum, size: Int64, for scope: AssetScope, generation: UUID, receiptLife: Duration
    ) async throws -> Arrival {
        let call = Self.arrival(checksum, size: size, for: scope, generation: generation, receiptLife: receiptLife)
        return Self.arrival(try await pool.withConnection { try await $0.pipeline([call])[0] }[0])
    }

    /// Returns the statement for ``arrive(_:size:for:generation:receiptLife:)``. Its result is one row, which
    /// ``arrival(_:)`` decodes.
    static func arrival(
        _ checksum: AssetChecksum, size: Int64, for scope: AssetScope, generation: UUID, receiptLife: Duration
    ) -> PostgresCall {
        PostgresCall(
            """
            with b as (
                insert into asset.blob as b (container, sha256, size, generation, receipt_until, count_at)
                values ($1, $2, $3, $4, now() + make_interval(secs => $5), now() + make_interval(secs => $5 + $9))
                on conflict (container, sha256) do update set state = 'live', condemned_at = null, due = null,
                    receipt_until = greatest(b.receipt_until, excluded.receipt_until),
                    count_at = least(b.count_at, excluded.count_at)
                returning b.id, b.generation, b.damage is not null as is_damaged
            ), h as (
                insert into asset.holder as h (blob, environment, scope, owner, container, size, until)
                select b.id, $6, $7, $8, $1, $3, now() + make_interval(secs => $5) from b
                on conflict (blob, environment, scope, owner) do update set until = greatest(h.until, excluded.until)
                returning h.xmax = 0 as is_new
            )
            select b.id, b.generation, now() + make_interval(secs => $5),
                coalesce((select o.state = 'condemned' from asset.blob o where o.container = $1 and o.sha256 = $2), false),
                b.is_damaged, h.is_new
            from b cross join h
            """,
            [
                .text(scope.container), .bytea(checksum.bytes), .int8(size), .uuid(generation),
                .float8(Double(receiptLife.components.seconds)), .text(scope.environment.rawValue),
                .text(scope.scope.wireName),
                .text(scope.owner), .float8(Double(BlobHolder.receiptMargin.components.seconds)),
            ])
    }

    /// Decodes the row that is the result of ``arrival(_:size:for:generation:receiptLife:)``.
    static func arrival(_ row: PostgresRow) -> Arrival {
        Arrival(
            id: BlobID(rawValue: row.int64(0)), generation: row.uuid(1), receiptExpiresAt: row.milliseconds(2),
            isRevived: row.bool(3), isDamaged: row.bool(4), isNewHolder: row.bool(5))
    }

    /// Replaces the file of a blob with another file, whose bytes have just been hashed, and ends the blob's
    /// quarantine.
    ///
    /// - Parameters:
    ///   - lost: the generation of the file that is replaced.
    ///   - generation: the generation of the new file.
    /// - Returns: false if the blob already has a different file or no longer exists.
    package func heal(_ id: BlobID, lost: UUID, generation: UUID) async throws -> Bool {
        try await query(
            """
            update asset.blob set generation = $3, damage = null, damaged_at = null, looked_at = now(),
                verified_at = now()
            where id = $1 and generation = $2
            """,
            [.int8(id.rawValue), .uuid(lost), .uuid(generation)]
        ).affectedRows > 0
    }

    /// Returns the blob with the given content; nil if there is none.
    package func find(_ checksum: AssetChecksum, in container: String) async throws -> StoredBlob? {
        try await query(
            PostgresStatement("select \(Self.columns) from asset.blob b where b.container = $1 and b.sha256 = $2"),
            [.text(container), .bytea(checksum.bytes)]
        ).first.map(Self.blob)
    }

    /// Returns the ids of the blobs with these checksums in a container. Checksums without a blob are omitted.
    package func ids(of checksums: [AssetChecksum], in container: String) async throws -> [AssetChecksum: BlobID] {
        try await query(
            """
            select b.sha256, b.id from unnest($2::bytea[]) as k(sha256)
            cross join lateral (select id, sha256 from asset.blob b
                where b.container = $1 and b.sha256 = k.sha256 offset 0) b
            """, [.text(container), .byteaArray(checksums.map(\.bytes))]
        ).reduce(into: [:]) { ids, row in
            if let checksum = AssetChecksum(bytes: row.bytes(0)) { ids[checksum] = BlobID(rawValue: row.int64(1)) }
        }
    }

    static let columns = """
        b.id, b.container, b.sha256, b.size, b.generation, b.created_at, b.receipt_until, b.condemned_at, b.due,
        b.verified_at, b.damage, b.damaged_at
        """
    /// The number of ``columns``.
    static let columnCount = 12

    /// Decodes a row of ``columns``.
    static func blob(_ row: PostgresRow) -> StoredBlob {
        // A table constraint ensures the length.
        guard let checksum = AssetChecksum(bytes: row.bytes(2)) else {
            preconditionFailure("asset.blob.sha256 does not have 32 bytes")
        }
        var condemnation: StoredBlob.Condemnation?
        if let at = row.millisecondsIfPresent(7), let due = row.millisecondsIfPresent(8) {
            condemnation = StoredBlob.Condemnation(at: at, due: due)
        }
        return StoredBlob(
            id: BlobID(rawValue: row.int64(0)), container: row.string(1), checksum: checksum, size: row.int64(3),
            generation: row.uuid(4), createdAt: row.milliseconds(5), receiptUntil: row.milliseconds(6),
            condemnation: condemnation, verifiedAt: row.milliseconds(9),
            damage: row.stringIfPresent(10).flatMap(StoredBlob.Damage.Kind.init(rawValue:)).map {
                StoredBlob.Damage(kind: $0, at: row.milliseconds(11))
            })
    }

    func query(_ statement: PostgresStatement, _ parameters: [PostgresParameter]) async throws -> PostgresResult {
        try await pool.withConnection { try await $0.query(statement, parameters) }
    }
}
