internal import PostgresClient
package import ServiceMessages

extension BlobTable {
    /// A stored content that is kept for another receipt.
    package struct Kept: Sendable, Equatable {
        /// Its row, before it was kept on.
        package var blob: StoredBlob
        /// When the new receipt expires, milliseconds since 1970.
        package var receiptExpiresAt: Int64
    }

    /// Keeps those of a container's contents that are there at least as long as a receipt of `receiptLife`, and brings
    /// them back to life. One that is just being deleted is not there. The database of the receipts holds them.
    package func keep(
        _ checksums: [AssetChecksum], for scope: AssetScope, receiptLife: Duration
    ) async throws -> [Kept] {
        // In the order of the ids, as the condemned are locked: neither waits for the other in a circle.
        try await query(
            PostgresStatement(
                """
                with wanted as materialized (
                    select b.id from unnest($2::bytea[]) as k(sha256)
                    cross join lateral (select id from asset.blob b
                        where b.container = $1 and b.sha256 = k.sha256 offset 0) b
                    order by b.id
                ), kept as (
                    update asset.blob b set state = 'live', condemned_at = null, due = null,
                        receipt_until = greatest(b.receipt_until, now() + make_interval(secs => $3)),
                        count_at = least(b.count_at, now() + make_interval(secs => $3 + $7))
                    from wanted w where b.id = w.id
                    returning b.*
                ), held as (
                    insert into asset.holder as h (blob, environment, scope, owner, container, size, until)
                    select b.id, $4, $5, $6, $1, b.size, now() + make_interval(secs => $3) from kept b order by b.id
                    on conflict (blob, environment, scope, owner) do update set until = greatest(h.until, excluded.until)
                )
                select \(Self.columns), now() + make_interval(secs => $3) from kept b
                """),
            [
                .text(scope.container), .byteaArray(checksums.map(\.bytes)),
                .float8(Double(receiptLife.components.seconds)), .text(scope.environment), .text(scope.scope),
                .text(scope.owner), .float8(Double(HolderCount.margin.components.seconds)),
            ]
        ).map { Kept(blob: Self.blob($0), receiptExpiresAt: $0.milliseconds(Self.columnCount)) }
    }
}
