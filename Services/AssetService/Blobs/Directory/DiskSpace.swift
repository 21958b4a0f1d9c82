internal import CLinux

/// The free space for uploads on a file system. Every call blocks and must be made on ``BlobThreads``.
struct DiskSpace: Sendable {
    /// A folder on the file system.
    let path: String
    /// The minimum free space, in bytes, that an upload requires to begin.
    let minFreeBytes: Int64

    /// The free space in bytes; nil if the file system does not report it.
    var freeBytes: Int64? {
        let bytes = zonda_free_bytes(path)
        return bytes < 0 ? nil : bytes
    }

    /// Throws if there is not enough space for an upload.
    func admit() throws(BlobStoreError) {
        guard minFreeBytes > 0, let freeBytes, freeBytes < minFreeBytes else { return }
        throw BlobStoreError(
            "'\(path)' has \(freeBytes) bytes of free space; uploads require \(minFreeBytes) (asset.minFree)",
            isFull: true)
    }
}
