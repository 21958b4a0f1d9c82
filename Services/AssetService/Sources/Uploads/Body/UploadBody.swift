internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A request's body on its way into an asset.
struct UploadBody: Sendable {
    /// What a multipart body may have beside its file.
    static let maxMultipartOverhead: Int64 = 64 * 1024

    /// How long it is, where that was told.
    let length: Int64?
    private let request: Request
    private let field: String
    private let maxAssetBytes: Int64
    /// What the body may have.
    private let maxBytes: Int64
    private var multipart: MultipartFile?
    private var digests: ContentDigests

    /// Whether the file is a part of the body.
    var isMultipart: Bool { multipart != nil }

    /// Whether there is none: what has neither a length nor chunks is empty.
    var isEmpty: Bool { length.map { $0 == 0 } ?? (request.headers[.transferEncoding] == nil) }

    /// The body of `request`, of which not a byte is read.
    ///
    /// - Parameters:
    ///   - before: what earlier requests brought, bytes; nil when this is the first.
    ///   - field: what errors name.
    /// - Throws: `asset_too_large` when it is said to be that, `multipart_boundary_invalid`, `upload_header_invalid`.
    init(
        of request: Request, after before: Int64? = nil, maxAssetBytes: Int64, field: String
    ) throws(ServerError) {
        self.request = request
        self.field = field
        self.maxAssetBytes = maxAssetBytes
        // What goes on where another request ended is bytes, whatever it calls itself.
        multipart = before == nil ? try MultipartFile(contentType: request.headers[.contentType]) : nil
        digests = try ContentDigests(request.headers)
        length = request.headers[.contentLength].flatMap { Int64($0) }
        maxBytes = maxAssetBytes - (before ?? 0) + (multipart == nil ? 0 : Self.maxMultipartOverhead)
        if let length, length > maxBytes {
            throw ServerError.assetTooLarge(limit: maxAssetBytes, actual: (before ?? 0) + length, field: field)
        }
    }

    /// Reads all of it.
    ///
    /// - Throws: ``AssetUploader/Interruption`` when it ends before its end, and what came was taken nevertheless;
    ///   `asset_too_large`, `checksum_mismatch`, an error of multipart; ``BlobStoreError``.
    mutating func read(into incoming: inout IncomingAsset) async throws {
        var received: Int64 = 0
        do {
            for try await piece in request.body {
                received += Int64(piece.readableBytes)
                guard received <= maxBytes else {
                    throw ServerError.assetTooLarge(limit: maxAssetBytes, actual: received, field: field)
                }
                digests.take(piece)
                try await incoming.append(try multipart?.take(piece) ?? piece)
            }
        } catch let error where !(error is ServerError || error is BlobStoreError) {
            // The connection's own.
            try await incoming.flush()
            throw AssetUploader.Interruption(reason: ServerError.uploadIncomplete(field: field))
        }
        // A cancelled task finds the body at its end, wherever it was.
        if Task.isCancelled || (length != nil && length != received) {
            try await incoming.flush()
            throw AssetUploader.Interruption(
                reason: Task.isCancelled ? CancellationError() : ServerError.uploadIncomplete(field: field))
        }
        try multipart?.finish()
        try digests.verify(field: field)
    }
}
