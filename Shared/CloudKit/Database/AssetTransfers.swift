internal import CloudKitModel
internal import CloudKitWire

/// The transfer of the files of assets.
struct AssetTransfers: Sendable {
    /// Uploads files to a zone, and returns for each the value to save. The last argument is called with the index of an
    /// upload, and the fraction of its file that has been sent.
    var upload:
        @Sendable (
            _ uploads: [AssetUpload], _ zoneID: JSONValue, _ progress: @escaping @Sendable (Int, Double) -> Void
        ) async -> [ItemResult<Asset>]
    /// Returns a file with the content of a fetched asset.
    var download: @Sendable (Asset) async throws(CKError) -> URL
}

extension AssetTransfers {
    /// The transfers of a database behind a connection.
    init(_ scope: DatabaseScope, on connection: WebConnection) {
        self.init(
            upload: { uploads, zoneID, progress in
                await AssetUploads(connection: connection, database: scope, zoneID: zoneID)
                    .upload(uploads, progress: progress)
            },
            download: { asset async throws(CKError) in try await AssetCache.shared.file(of: asset, from: connection) })
    }

    /// The transfers of a database that has no assets.
    static let none = AssetTransfers(
        upload: { uploads, _, _ in uploads.map { _ in .failure(unavailable) } },
        download: { _ throws(CKError) in throw unavailable })

    private static var unavailable: CKError { CKError(.assetNotAvailable, "The database has no assets.") }
}

/// The place of an asset in a record.
struct AssetPlace: Hashable, Sendable {
    /// The field.
    var key: CKRecord.FieldKey
    /// The position in a list; nil if the field contains a single asset.
    var index: Int?
}
