internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import Crypto
internal import NIOCore
internal import ServiceMessages

/// A source of an upload's bytes: the body of a request or of a message.
protocol UploadSource: Sendable {
    /// Appends all bytes to `incoming`.
    ///
    /// - Throws: ``UploadInterruption``, any error that ``IncomingAsset/append(_:)`` throws, and any error of the
    ///   source.
    mutating func read(into incoming: inout IncomingAsset) async throws
}

/// The error thrown when a source ends early. The bytes that have arrived are valid, and the upload can be resumed.
struct UploadInterruption: Error {
    let reason: any Error
}

/// An asset that is being received. It counts and hashes the bytes and writes them to the store. It buffers at most
/// ``chunkBytes`` bytes, plus the bytes of one call.
struct IncomingAsset {
    /// The number of bytes that are collected before they are written.
    static let chunkBytes = 256 * 1024

    private let upload: any BlobUpload
    private let maxBytes: Int64
    private let field: String?
    private let quotas: QuotaUsage
    /// The hash of all bytes; nil if earlier requests wrote some of them.
    private var hash: SHA256?
    /// The number of bytes received so far, including the bytes of earlier requests.
    private(set) var size: Int64
    private var waiting = ByteBuffer()

    /// Creates an asset that continues `upload`. Errors name `field`.
    init(_ upload: any BlobUpload, maxBytes: Int64, quotas: QuotaUsage, field: String?) {
        self.upload = upload
        size = upload.resumedBytes
        hash = size == 0 ? SHA256() : nil
        self.maxBytes = maxBytes
        self.quotas = quotas
        self.field = field
    }

    /// Appends bytes.
    ///
    /// - Throws: `asset_too_large`, `QUOTA_EXCEEDED`, ``BlobStoreError``.
    mutating func append(_ bytes: ByteBuffer) async throws {
        size += Int64(bytes.readableBytes)
        guard size <= maxBytes else { throw ServerError.assetTooLarge(limit: maxBytes, actual: size, field: field) }
        try quotas.admit(size, field: field)
        bytes.withUnsafeReadableBytes { hash?.update(bufferPointer: $0) }
        waiting.writeImmutableBuffer(bytes)
        if waiting.readableBytes >= Self.chunkBytes { try await flush() }
    }

    /// Writes the collected bytes.
    ///
    /// - Throws: ``BlobStoreError``.
    mutating func flush() async throws {
        guard waiting.readableBytes > 0 else { return }
        try await upload.append(waiting)
        waiting.clear()
    }

    /// Writes the collected bytes and returns the content. The bytes of a resumed upload are read again to be hashed.
    ///
    /// - Throws: ``BlobStoreError``.
    mutating func finish() async throws -> AssetContent {
        try await flush()
        let hash = if let hash { hash } else { try await upload.hash(of: size) }
        guard let checksum = AssetChecksum(bytes: Array(hash.finalize())) else {
            preconditionFailure("a SHA-256 does not have 32 bytes")
        }
        return AssetContent(checksum: checksum, size: size)
    }
}
