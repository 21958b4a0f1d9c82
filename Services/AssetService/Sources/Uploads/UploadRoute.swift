internal import BlobStorage
internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `POST` or `PUT /upload/<ticket>` (web-services 7.2): receives a file. The file is the whole body or, in a
/// `multipart/form-data` body, the first part with a file name. ``ResumableUploads`` answers requests to paths below
/// `/upload/<ticket>`.
struct UploadRoute: Sendable {
    /// How long a request waits while the database is unavailable.
    static let patience = Duration.seconds(30)

    let uploader: AssetUploader
    let keys: SigningKeys
    /// The resumable uploads; nil if the store does not support them.
    let resumable: ResumableUploads?

    /// Answers a request under `/upload`. Returns nil if the path does not support the method.
    func respond(to request: Request, path: [Substring], on channel: any Channel) async throws -> Response? {
        guard let ticket = AssetUploadTicket(opening: path[0], with: keys) else { throw ServerError.uploadURLInvalid() }
        let permit = ResumableUploads.Permit(text: String(path[0]), ticket: ticket)
        guard path.count > 1 else {
            guard request.method == .post || request.method == .put else { return nil }
            return try await upload(request, permit, on: channel)
        }
        // An upload that began before the ticket expired can be continued afterwards.
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
        let body = try UploadBody(of: request, maxAssetBytes: uploader.maxAssetBytes, field: field)
        let resumption = try ResumptionHeaders(creating: request.headers)
        let digest = try ContentDigests.sha256(request.headers, .reprDigest)
        let usage = try await uploader.quotaUsage(of: ticket.scope, patience: Self.patience)
        if let length = resumption?.length ?? body.length {
            try usage.admit(length - (body.isMultipart ? UploadBody.maxMultipartOverhead : 0), field: field)
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
        if request.expectsContinue { InterimResponse.send("100 Continue", on: channel) }
        return .upload(
            try await uploader.upload(
                body, to: ticket.scope, within: usage,
                expecting: ExpectedContent(field: field, ticketed: ticket.content, digest: digest), field: field,
                patience: Self.patience))
    }
}
