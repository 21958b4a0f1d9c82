internal import CloudKitModel
internal import Crypto
internal import NIOCore
internal import ServiceMessages

/// An asset on its way in: counted, hashed and written as it comes. It never holds more than ``chunkBytes`` and what it
/// is given at once.
struct IncomingAsset {
    /// Small pieces are written together.
    static let chunkBytes = 256 * 1024

    /// What arrived.
    struct Content: Sendable, Equatable {
        let checksum: AssetChecksum
        let size: Int64
    }

    let upload: any BlobUpload
    private let maxBytes: Int64
    private let field: String?
    private let room: QuotaRoom
    /// Of all bytes; nil while those of earlier requests are missing in it.
    private var hash: SHA256?
    /// How many bytes there are.
    private(set) var size: Int64
    private var waiting = ByteBuffer()

    /// Nothing yet; `field` is what errors name.
    init(_ upload: any BlobUpload, maxBytes: Int64, field: String?, room: QuotaRoom) {
        self.upload = upload
        size = (upload as? PartialFile)?.offset ?? 0
        hash = size == 0 ? SHA256() : nil
        self.maxBytes = maxBytes
        self.field = field
        self.room = room
    }

    /// Takes bytes.
    ///
    /// - Throws: `asset_too_large`, `QUOTA_EXCEEDED`, ``BlobStoreError``.
    mutating func append(_ bytes: ByteBuffer) async throws {
        size += Int64(bytes.readableBytes)
        guard size <= maxBytes else { throw ServerError.assetTooLarge(limit: maxBytes, actual: size, field: field) }
        try room.admit(size, field: field)
        bytes.withUnsafeReadableBytes { hash?.update(bufferPointer: $0) }
        waiting.writeImmutableBuffer(bytes)
        if waiting.readableBytes >= Self.chunkBytes { try await flush() }
    }

    /// That was all.
    ///
    /// - Throws: ``BlobStoreError``.
    mutating func finish() async throws -> Content {
        try await flush()
        // What came in several requests is hashed at the end, once, however many there were.
        if hash == nil, let partial = upload as? PartialFile { hash = try await partial.hash(of: size) }
        guard let hash, let checksum = AssetChecksum(bytes: Array(hash.finalize())) else {
            preconditionFailure("SHA-256 has another length")
        }
        return Content(checksum: checksum, size: size)
    }

    /// Writes what is held back.
    ///
    /// - Throws: ``BlobStoreError``.
    mutating func flush() async throws {
        guard waiting.readableBytes > 0 else { return }
        try await upload.append(waiting)
        waiting.clear()
    }
}
