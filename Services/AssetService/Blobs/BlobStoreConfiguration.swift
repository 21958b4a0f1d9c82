internal import ServiceRuntime

/// The configuration of the store: a folder or a bucket.
package enum BlobStoreConfiguration: Sendable {
    /// A folder on this machine or on a shared volume. No upload begins while the disk has less than `minFreeBytes`
    /// bytes of free space.
    case directory(String, minFreeBytes: Int64)
    /// A bucket on an S3 server.
    case s3(S3Configuration)

    /// Calls `body` with the store, and closes the store's connections afterwards.
    ///
    /// - Throws: any error that `body` throws, or ``BlobStoreError`` if writing to the store fails.
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

    /// The environment variable that names the store.
    package var variable: String {
        switch self {
        case .directory: "ZONDA_ASSET_DIRECTORY"
        case .s3: "ZONDA_ASSET_S3_BUCKET"
        }
    }
}
