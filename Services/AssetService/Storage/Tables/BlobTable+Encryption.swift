internal import Foundation
internal import PostgresClient

extension BlobTable {
    /// How many blobs are not encrypted as `generation` says. Reads as many entries of an index.
    ///
    /// - Throws: `PostgresError`.
    func count(otherThan generation: SealedGeneration) async throws -> Int64 {
        let (first, last) = generation.bounds
        return try await query(
            "select count(*) from asset.blob where generation < $1 or generation > $2", [.uuid(first), .uuid(last)]
        )[0].int64(0)
    }

    /// Blobs of generations between `lower` and `upper`, in their order, up to `limit`.
    ///
    /// - Throws: `PostgresError`.
    func blobs(between lower: UUID, and upper: UUID, limit: Int) async throws -> [StoredBlob] {
        try await query(
            PostgresStatement(
                """
                select \(Self.columns) from asset.blob b where b.generation > $1 and b.generation < $2
                order by b.generation limit $3
                """), [.uuid(lower), .uuid(upper), .int4(Int32(limit))]
        ).map(Self.blob)
    }
}
