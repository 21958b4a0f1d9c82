internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `POST` or `PUT /upload/<ticket>` (web-services 7.2): the body is the file, whatever its type says; of a
/// `multipart/form-data` body it is the first part with a file name. What else is below that path is ``ResumableUploads``.
struct UploadRoute: Sendable {
    let uploader: AssetUploader
    let keys: SigningKeys
    /// Nil when the store cannot keep parts.
    let resumable: ResumableUploads?

    /// The answer to a request below `/upload`; nil when the path has no such method.
    func respond(to request: Request, path: [Substring], on channel: any Channel) async throws -> Response? {
        guard let ticket = AssetUploadTicket(opening: path[0], with: keys) else { throw ServerError.uploadURLInvalid() }
        let permit = ResumableUploads.Permit(text: String(path[0]), ticket: ticket)
        guard path.count > 1 else {
            guard request.method == .post || request.method == .put else { return nil }
            return try await upload(request, permit, on: channel)
        }
        // An upload that was begun in time may go on as long as it is not forgotten.
        guard let resumable, let id = UploadID(path[1]) else { throw ServerError.uploadNotFound() }
        return switch request.method {
        case .head: try await resumable.offset(of: id, request, permit: permit, on: channel)
        case .patch: try await resumable.append(to: id, request, permit: permit, on: channel)
        case .delete: try await resumable.cancel(id, request, permit: permit, on: channel)
        default: nil
        }
    }

    private func upload(
        _ request: Request, _ permit: ResumableUploads.Permit, on channel: any Channel
    ) async throws -> Response {
        let (ticket, field) = (permit.ticket, permit.ticket.fieldName)
        guard ticket.expiresAt > SystemClock.milliseconds() else { throw ServerError.uploadURLExpired(field: field) }
        var body = try UploadBody(
            of: request, maxAssetBytes: uploader.maxAssetBytes, field: field)
        let resumption = try ResumptionHeaders(creating: request.headers)
        if let length = resumption?.length ?? body.length {
            let room = try await uploader.room(for: ticket.scope, patience: ResumableUploads.patience)
            try room.admit(length - (body.isMultipart ? UploadBody.maxMultipartOverhead : 0), field: field)
        }
        if let resumption, let resumable, !body.isMultipart,
            let response = try await resumable.begin(request, resumption, body, permit: permit, on: channel)
        {
            return response
        }
        guard resumption?.isComplete ?? true else {
            throw ServerError.uploadHeaderInvalid(.uploadComplete, "cannot be ?0: this upload cannot be resumed")
        }
        if let size = ticket.content?.size, !body.isMultipart, let length = body.length, length != size {
            throw ServerError.uploadLengthMismatch(field: field)
        }
        let digest = try ContentDigests.sha256(request.headers, .reprDigest)
        if request.isWaitingToContinue { InterimResponse.send("100 Continue", on: channel) }
        return .upload(
            try await uploader.upload(to: ticket.scope, field: field, patience: ResumableUploads.patience) {
                try await body.read(into: &$0)
            } verifying: { content throws(ServerError) in
                try ticket.check(content)
                guard digest ?? content.checksum == content.checksum else {
                    throw .checksumMismatch("Repr-Digest", field: field)
                }
            })
    }
}
