internal import CloudKitModel
internal import PostgresClient
package import ServiceMessages

/// New receipts for stored content.
extension BlobTable {
    /// Content that is kept for a new receipt.
    package struct Kept: Sendable, Equatable {
        /// The row of the content.
        package var blob: StoredBlob
        /// The expiry of the new receipt, in milliseconds since 1970.
        package var receiptExpiresAt: Int64
    }

    /// Keeps content in a container for at least `receiptLife`, and makes condemned content live again. Content that
    /// does not exist or is being deleted is omitted from the result. After the call, the database `scope` holds the
    /// content in the result.
    package func keep(
        _ checksums: [AssetChecksum], for scope: AssetScope, receiptLife: Duration
    ) async throws -> [Kept] {
        // The blobs are locked in order of id, as for condemnations, to prevent deadlocks.
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
                .float8(Double(receiptLife.components.seconds)), .text(scope.environment.rawValue),
                .text(scope.scope.wireName),
                .text(scope.owner), .float8(Double(BlobHolder.receiptMargin.components.seconds)),
            ]
        ).map { Kept(blob: Self.blob($0), receiptExpiresAt: $0.milliseconds(Self.columnCount)) }
    }
}
