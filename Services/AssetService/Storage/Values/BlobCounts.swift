/// The counts of blobs and stray files, for the metrics.
package struct BlobCounts: Sendable, Equatable {
    /// The total number of blobs.
    package var blobs: Int64
    /// The total size of all blobs, in bytes.
    package var bytes: Int64
    /// The number of condemned blobs that are not due yet.
    package var waiting: Int64
    /// The number of condemned blobs that are due but not late.
    package var due: Int64
    /// The number of condemned blobs that have been due for too long.
    package var late: Int64
    /// The number of blobs in quarantine.
    package var damaged: Int64
    /// The time, in milliseconds, since the least recently verified blob was verified.
    package var unverified: Int64
    /// The number of known stray files.
    package var strays: Int64
}
