internal import BlobStorage
internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The body of an upload request: its length, the file in it, and its digests.
struct UploadBody: UploadSource {
    /// The maximum size of a multipart body without its file, in bytes.
    static let maxMultipartOverhead: Int64 = 64 * 1024

    /// The announced length in bytes; nil for a chunked body.
    let length: Int64?
    private let request: Request
    private let field: String
    private let maxAssetBytes: Int64
    /// The maximum length of the body, in bytes.
    private let maxBytes: Int64
    private var multipart: MultipartFile?
    private var digests: ContentDigests

    /// Whether the file is one part of a multipart body.
    var isMultipart: Bool { multipart != nil }

    /// Whether the body is empty. A body with neither a length nor chunks is empty.
    var isEmpty: Bool { length.map { $0 == 0 } ?? (request.headers[.transferEncoding] == nil) }

    /// Prepares the body of `request` without reading any of it.
    ///
    /// - Parameters:
    ///   - before: the number of bytes sent by earlier requests; nil if this is the first request.
    ///   - field: the field that errors name.
    /// - Throws: `asset_too_large` if the announced length exceeds the maximum, `multipart_boundary_invalid`,
    ///   `upload_header_invalid`.
    init(
        of request: Request, after before: Int64? = nil, maxAssetBytes: Int64, field: String
    ) throws(ServerError) {
        self.request = request
        self.field = field
        self.maxAssetBytes = maxAssetBytes
        // The remainder of an interrupted body is plain bytes, regardless of its content type.
        multipart = before == nil ? try MultipartFile(contentType: request.headers[.contentType]) : nil
        digests = try ContentDigests(request.headers)
        length = request.headers[.contentLength].flatMap { Int64($0) }
        maxBytes = maxAssetBytes - (before ?? 0) + (multipart == nil ? 0 : Self.maxMultipartOverhead)
        if let length, length > maxBytes {
            throw ServerError.assetTooLarge(limit: maxAssetBytes, actual: (before ?? 0) + length, field: field)
        }
    }

    /// Reads the whole body.
    ///
    /// - Throws: ``UploadInterruption`` if the body ends early, after the bytes that did arrive have been appended;
    ///   `asset_too_large`, `checksum_mismatch`, any error that ``MultipartFile`` throws; ``BlobStoreError``.
    mutating func read(into incoming: inout IncomingAsset) async throws {
        var received: Int64 = 0
        do {
            for try await piece in request.body {
                received += Int64(piece.readableBytes)
                guard received <= maxBytes else {
                    throw ServerError.assetTooLarge(limit: maxAssetBytes, actual: received, field: field)
                }
                digests.update(piece)
                try await incoming.append(try multipart?.append(piece) ?? piece)
            }
        } catch let error where !(error is ServerError || error is BlobStoreError) {
            // A connection error.
            try await incoming.flush()
            throw UploadInterruption(reason: ServerError.uploadIncomplete(field: field))
        }
        // In a cancelled task, the body ends where reading stopped.
        if Task.isCancelled || (length != nil && length != received) {
            try await incoming.flush()
            throw UploadInterruption(
                reason: Task.isCancelled ? CancellationError() : ServerError.uploadIncomplete(field: field))
        }
        try multipart?.finish()
        try digests.verify(field: field)
    }
}
