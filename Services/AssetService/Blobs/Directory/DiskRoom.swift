internal import CLinux

/// The room that a file system has for uploads. Every call blocks: only for the thread pool.
struct DiskRoom: Sendable {
    /// A folder of it.
    let path: String
    /// No upload begins while there is less.
    let minFreeBytes: Int64

    /// What is left; nil when the file system does not say.
    var freeBytes: Int64? {
        let bytes = zonda_free_bytes(path)
        return bytes < 0 ? nil : bytes
    }

    /// Refuses an upload while there is not enough.
    func admit() throws(BlobStoreError) {
        guard minFreeBytes > 0, let freeBytes, freeBytes < minFreeBytes else { return }
        throw BlobStoreError(
            "the disk of '\(path)' has \(freeBytes) bytes left; uploads need \(minFreeBytes) (asset.minFree)",
            isFull: true)
    }
}
