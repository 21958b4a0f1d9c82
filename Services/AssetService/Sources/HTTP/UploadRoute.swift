internal import CloudKitModel
internal import CloudKitWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `POST` or `PUT /upload/<ticket>` (web-services 7.2): the body is the file, whatever its type says; of a
/// `multipart/form-data` body it is the first part with a file name.
struct UploadRoute: Sendable {
    /// How long a client waits for a database that is away.
    private static let patience = Duration.seconds(30)
    /// What a multipart body may have beside its file.
    private static let maxMultipartOverhead: Int64 = 64 * 1024

    let uploader: AssetUploader
    let keys: SigningKeys

    func respond(to request: Request, ticket: some StringProtocol, on channel: any Channel) async throws -> Response {
        guard let ticket = AssetUploadTicket(opening: ticket, with: keys) else { throw ServerError.uploadURLInvalid() }
        let field = ticket.fieldName
        guard ticket.expiresAt > SystemClock.milliseconds() else { throw ServerError.uploadURLExpired(field: field) }
        var multipart = try MultipartFile(contentType: request.headers[.contentType])
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let maxBytes = uploader.maxAssetBytes + (multipart == nil ? 0 : Self.maxMultipartOverhead)
        if let length, length > maxBytes {
            throw ServerError.assetTooLarge(limit: uploader.maxAssetBytes, actual: length, field: field)
        }
        if let length {
            let room = try await uploader.room(for: ticket.scope, patience: Self.patience)
            try room.admit(length - (multipart == nil ? 0 : Self.maxMultipartOverhead), field: field)
        }
        if request.headers[.expect]?.lowercased() == "100-continue" { ContinueSender.send(on: channel) }

        let asset = try await uploader.upload(to: ticket.scope, field: field, patience: Self.patience) { incoming in
            var received: Int64 = 0
            do {
                for try await piece in request.body {
                    received += Int64(piece.readableBytes)
                    guard received <= maxBytes else {
                        throw ServerError.assetTooLarge(limit: uploader.maxAssetBytes, actual: received, field: field)
                    }
                    try await incoming.append(try multipart?.take(piece) ?? piece)
                }
            } catch let error where !(error is ServerError || error is BlobStoreError) {
                // The connection's own.
                throw ServerError.uploadIncomplete(field: field)
            }
            // A cancelled task finds the body at its end, wherever it was.
            try Task.checkCancellation()
            guard length == nil || length == received else { throw ServerError.uploadIncomplete(field: field) }
            try multipart?.finish()
        }
        var writer = WireWriter()
        writer.object { asset.write(to: &$0) }
        return .json(status: .ok, writer.bytes)
    }
}
