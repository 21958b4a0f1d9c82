internal import ServiceRuntime

/// Which store the blobs are in.
package enum BlobStoreConfiguration: Sendable {
    /// A folder of this machine, or of a volume that all instances see.
    ///
    /// `minFreeBytes`: no upload begins while its disk has less room.
    case directory(String, minFreeBytes: Int64)
    /// A bucket.
    case s3(S3Configuration)

    /// Lends the store, ready to be used.
    ///
    /// - Throws: what `body` throws; ``BlobStoreError`` when it cannot be written.
    package func withStore<Result>(_ body: (any BlobStore) async throws -> Result) async throws -> Result {
        switch self {
        case .directory(let path, let minFreeBytes):
            let store = DirectoryBlobStore(root: path, minFreeBytes: minFreeBytes)
            try await store.prepare()
            return try await body(store)
        case .s3(let configuration):
            return try await S3BlobStore.with(configuration) { try await body($0) }
        }
    }

    /// The variable that names the store's place.
    package var variable: String {
        switch self {
        case .directory: "ZONDA_ASSET_DIRECTORY"
        case .s3: "ZONDA_ASSET_S3_BUCKET"
        }
    }
}
