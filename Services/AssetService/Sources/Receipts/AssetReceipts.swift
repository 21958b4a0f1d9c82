internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import ServiceMessages
internal import SignedTokens

/// Issues new receipts for content that is already stored.
struct AssetReceipts: Sendable {
    /// How long a receipt is valid.
    let life: Duration
    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable

    /// Issues receipts for the records of `scope`. Content that is not in the container or whose file is missing is
    /// omitted. All other content is kept while its receipt is valid. Takes one round trip, and one look-up in the
    /// store per blob.
    ///
    /// - Throws: `PostgresError`, ``BlobStoreError``.
    func receipts(
        for checksums: Set<AssetChecksum>, in scope: AssetScope
    ) async throws -> [AssetChecksum: UploadedAsset] {
        var receipts: [AssetChecksum: UploadedAsset] = [:]
        for kept in try await table.keep(Array(checksums), for: scope, receiptLife: life) {
            let blob = kept.blob
            // The row is live now, so its file is not being deleted. If the file is missing, it has been lost, and only
            // an upload can replace it.
            guard blob.damage == nil, try await isStored(blob) else { continue }
            receipts[blob.checksum] = UploadedAsset(
                content: AssetContent(checksum: blob.checksum, size: blob.size), blob: blob.id, scope: scope,
                expiresAt: kept.receiptExpiresAt, keys: keys)
        }
        return receipts
    }

    /// Returns whether a blob's file exists: either the file that its row named or the file that has replaced it
    /// (``Reencryption``).
    private func isStored(_ blob: StoredBlob) async throws -> Bool {
        if try await store.size(of: blob.key) == blob.size { return true }
        guard let now = try await table.find(blob.checksum, in: blob.container), now.generation != blob.generation
        else { return false }
        return try await store.size(of: now.key) == now.size
    }
}
