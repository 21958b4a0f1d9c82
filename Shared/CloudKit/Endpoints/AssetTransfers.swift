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

extension WebDatabase {
    /// Downloads the files of the assets of records. A record whose file cannot be had is an error of this record.
    func withFiles(_ results: [ItemResult<CKRecord>]) async -> [ItemResult<CKRecord>] {
        var places: [(result: Int, place: AssetPlace, asset: Asset)] = []
        for (index, result) in results.enumerated() {
            guard case .success(let record) = result else { continue }
            for (place, asset) in RecordCoding.fetchedAssets(of: record) { places.append((index, place, asset)) }
        }
        guard !places.isEmpty else { return results }
        let wanted = places
        let files = await AssetUploads.each(wanted.indices) { index throws(CKError) in
            try await assets.download(wanted[index].asset)
        }
        var results = results
        for (wanted, file) in zip(wanted, files) {
            guard case .success(let record) = results[wanted.result] else { continue }
            switch file {
            case .success(let url): RecordCoding.setFile(url, at: wanted.place, in: record)
            case .failure(let error): results[wanted.result] = .failure(error)
            }
        }
        return results
    }
}
