internal import CloudKitModel
internal import ServiceMessages
internal import SignedTokens

/// Gives new receipts for contents that are stored already.
struct AssetReceipts: Sendable {
    /// How long a receipt is good.
    let life: Duration
    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable

    /// Receipts for the records of `scope`, for those of the contents whose bytes its container has. Those are kept as
    /// long as the receipts are good.
    ///
    /// - Throws: `PostgresError`, ``BlobStoreError``.
    func receipts(
        for checksums: Set<AssetChecksum>, in scope: AssetScope
    ) async throws -> [AssetChecksum: UploadedAsset] {
        var receipts: [AssetChecksum: UploadedAsset] = [:]
        for kept in try await table.keep(Array(checksums), for: scope, receiptLife: life) {
            let blob = kept.blob
            // Its row lives now, so nobody deletes the file: one that is missing was lost, and only an upload heals it.
            guard blob.damage == nil, try await isStored(blob) else { continue }
            receipts[blob.checksum] = UploadedAsset(
                content: IncomingAsset.Content(checksum: blob.checksum, size: blob.size), blob: blob.id, scope: scope,
                expiresAt: kept.receiptExpiresAt, keys: keys)
        }
        return receipts
    }

    /// Whether a blob's file is there: that which its row named, or that which it was given meanwhile (``Reencryption``).
    private func isStored(_ blob: StoredBlob) async throws -> Bool {
        if try await store.size(of: blob.key) == blob.size { return true }
        guard let now = try await table.find(blob.checksum, in: blob.container), now.generation != blob.generation
        else { return false }
        return try await store.size(of: now.key) == now.size
    }
}
