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
    private var hash = SHA256()
    private var size: Int64 = 0
    private var waiting = ByteBuffer()

    /// Nothing yet; `field` is what errors name.
    init(_ upload: any BlobUpload, maxBytes: Int64, field: String?, room: QuotaRoom = QuotaRoom(parts: [])) {
        self.upload = upload
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
        bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        waiting.writeImmutableBuffer(bytes)
        if waiting.readableBytes >= Self.chunkBytes { try await flush() }
    }

    /// That was all.
    ///
    /// - Throws: ``BlobStoreError``.
    mutating func finish() async throws -> Content {
        if waiting.readableBytes > 0 { try await flush() }
        guard let checksum = AssetChecksum(bytes: Array(hash.finalize())) else {
            preconditionFailure("SHA-256 has another length")
        }
        return Content(checksum: checksum, size: size)
    }

    private mutating func flush() async throws {
        try await upload.append(waiting)
        waiting.clear()
    }
}
