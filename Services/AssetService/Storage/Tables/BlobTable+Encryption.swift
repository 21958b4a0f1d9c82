package import Foundation
internal import PostgresClient

/// Queries by generation, which indicates how a file is encrypted.
extension BlobTable {
    /// Returns the number of blobs whose generation is less than `first` or greater than `last`. Reads one index entry
    /// per counted blob.
    package func count(outside generations: (first: UUID, last: UUID)) async throws -> Int64 {
        let (first, last) = generations
        return try await query(
            "select count(*) from asset.blob where generation < $1 or generation > $2", [.uuid(first), .uuid(last)]
        )[0].int64(0)
    }

    /// Reads up to `limit` blobs with generations between `lower` and `upper`, in order of generation.
    package func blobs(between lower: UUID, and upper: UUID, limit: Int) async throws -> [StoredBlob] {
        try await query(
            PostgresStatement(
                """
                select \(Self.columns) from asset.blob b where b.generation > $1 and b.generation < $2
                order by b.generation limit $3
                """), [.uuid(lower), .uuid(upper), .int4(Int32(limit))]
        ).map(Self.blob)
    }
}
