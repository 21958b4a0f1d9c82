package import Crypto
package import NIOCore

/// The bytes of a file that is being written.
package protocol BlobUpload: Sendable {
    /// The number of bytes written by earlier requests; 0 unless the upload was resumed.
    var resumedBytes: Int64 { get }

    /// Appends bytes. Calls must not be concurrent.
    func append(_ bytes: ByteBuffer) async throws(BlobStoreError)

    /// Reads the first `count` bytes from the store, including those written by earlier requests, and hashes them.
    ///
    /// - Throws: ``BlobStoreError``, for example if there are fewer bytes or the upload cannot be resumed.
    func hash(of count: Int64) async throws(BlobStoreError) -> SHA256

    /// Makes the bytes durable and visible under `key`.
    func commit(as key: BlobKey) async throws(BlobStoreError)

    /// Removes the bytes, even in a cancelled task. Does nothing after ``commit(as:)``.
    func discard() async

    /// Ends this request's work but keeps the bytes, so that the upload can be resumed. An upload that cannot be
    /// resumed is discarded.
    func suspend() async
}

extension BlobUpload {
    package var resumedBytes: Int64 { 0 }

    package func hash(of count: Int64) async throws(BlobStoreError) -> SHA256 {
        throw BlobStoreError("the bytes of this upload cannot be read back")
    }

    package func suspend() async { await discard() }
}

/// An open file.
package protocol BlobReader: Sendable {
    /// The size of the file, in bytes.
    var size: Int64 { get }

    /// Reads `count` bytes from `offset`, or fewer at the end of the file.
    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer
}
