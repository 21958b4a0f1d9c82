internal import CloudKitModel
internal import PostgresClient
package import ServiceMessages

/// The databases that hold blobs.
extension BlobTable {
    /// Returns the database server's current time, in milliseconds since 1970.
    package func now() async throws -> Int64 { try await query("select now()", [])[0].milliseconds(0) }

    /// Returns the blobs that `scope` holds under a receipt that expired more than ``BlobHolder/receiptMargin`` ago.
    package func expiredHolds(of checksums: [AssetChecksum], by scope: AssetScope) async throws -> [BlobID] {
        try await query(
            """
            select b.id from unnest($2::bytea[]) as k(sha256)
            cross join lateral (select id from asset.blob b where b.container = $1 and b.sha256 = k.sha256 offset 0) b
            join asset.holder h on h.blob = b.id and h.environment = $3 and h.scope = $4 and h.owner = $5
            where h.until < now() - make_interval(secs => $6)
            """,
            [
                .text(scope.container), .byteaArray(checksums.map(\.bytes)), .text(scope.environment.rawValue),
                .text(scope.scope.wireName), .text(scope.owner),
                .float8(Double(BlobHolder.receiptMargin.components.seconds)),
            ]
        ).map { BlobID(rawValue: $0.int64(0)) }
    }

    /// Returns up to `limit` blobs whose holders are due to be compared with the records.
    package func countable(limit: Int) async throws -> [(id: BlobID, container: String)] {
        try await query(
            "select id, container from asset.blob where count_at <= now() order by count_at limit $1",
            [.int4(Int32(limit))]
        ).map { (BlobID(rawValue: $0.int64(0)), $0.string(1)) }
    }

    /// Replaces the holders of `blobs` with `holders`, but keeps holders whose receipt is valid.
    ///
    /// - Parameters:
    ///   - began: the time, in milliseconds since 1970, at which the record service was asked for `holders`. Receipts
    ///     that were valid less than `margin` before that time still count as valid.
    ///   - rest: the time until the next comparison, unless a receipt expires earlier.
    package func count(
        _ blobs: [BlobID], in container: String, heldBy holders: [BlobHolder], asOf began: Int64, margin: Duration,
        rest: Duration
    ) async throws {
        let holders = holders.sorted {
            ($0.blob.rawValue, $0.environment.rawValue, $0.scope.wireName, $0.owner)
                < ($1.blob.rawValue, $1.environment.rawValue, $1.scope.wireName, $1.owner)
        }
        let found: [PostgresParameter] = [
            .int8Array(holders.map(\.blob.rawValue)), .textArray(holders.map(\.environment.rawValue)),
            .textArray(holders.map(\.scope.wireName)), .textArray(holders.map(\.owner)),
        ]
        let ids = PostgresParameter.int8Array(blobs.map(\.rawValue))
        let seconds = PostgresParameter.float8(Double(margin.components.seconds))
        try await pool.withTransaction { connection in
            // The blobs are locked in order of id, as for receipts and condemnations, to prevent deadlocks.
            _ = try await connection.pipeline([
                PostgresCall("select id from asset.blob where id = any($1) order by id for no key update", [ids]),
                PostgresCall(
                    """
                    delete from asset.holder h
                    where h.blob = any($1) and h.until < $6::timestamptz - make_interval(secs => $7) and not exists (
                        select from unnest($2::int8[], $3::text[], $4::text[], $5::text[])
                            as f(blob, environment, scope, owner)
                        where f.blob = h.blob and f.environment = h.environment and f.scope = h.scope
                            and f.owner = h.owner)
                    """, [ids] + found + [.timestamptz(millisecondsSince1970: began), seconds]),
                PostgresCall(
                    """
                    insert into asset.holder (blob, environment, scope, owner, container, size, until)
                    select f.blob, f.environment, f.scope, f.owner, b.container, b.size, '-infinity'
                    from unnest($1::int8[], $2::text[], $3::text[], $4::text[]) as f(blob, environment, scope, owner)
                    join asset.blob b on b.id = f.blob and b.container = $5
                    order by 1, 2, 3, 4 on conflict do nothing
                    """, found + [.text(container)]),
                PostgresCall(
                    """
                    update asset.blob b set count_at = least(now() + make_interval(secs => $3),
                        (select min(h.until) from asset.holder h
                            where h.blob = b.id and h.until >= now() - make_interval(secs => $2))
                            + make_interval(secs => $2))
                    where id = any($1)
                    """, [ids, seconds, .float8(Double(rest.components.seconds))]),
            ])
        }
    }

    /// Reads up to `limit` databases that hold a blob.
    ///
    /// - Throws: `PostgresError`, or `StoredValueError`.
    package func holders(of blob: BlobID, limit: Int) async throws -> [BlobHolder] {
        try await query(
            """
            select environment, scope, owner from asset.holder where blob = $1 order by 1, 2, 3 limit $2
            """, [.int8(blob.rawValue), .int4(Int32(limit))]
        ).map {
            BlobHolder(
                blob: blob,
                environment: try EnvironmentName(stored: $0.string(0), column: "asset.holder.environment"),
                scope: try DatabaseScope(stored: $0.string(1), column: "asset.holder.scope"), owner: $0.string(2))
        }
    }
}
