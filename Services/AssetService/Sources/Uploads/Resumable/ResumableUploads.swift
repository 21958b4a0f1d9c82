internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// Uploads that can be resumed after an interruption (draft-ietf-httpbis-resumable-upload, interop versions 3, 5 and
/// 6). They begin at the ticket's URL and are resumed at a URL below it. The bytes are in the store, so any instance
/// can continue an upload, even after a restart.
struct ResumableUploads: Sendable {
    /// An upload's ticket, both as it appears in the URL and decoded.
    struct Permit: Sendable {
        let text: String
        let ticket: AssetUploadTicket
    }

    let uploader: AssetUploader
    let receipts: AssetReceipts
    let partials: any PartialUploads
    /// The service's public address.
    let publicURL: String
    /// How long an upload can be resumed.
    let life: Duration
    /// The maximum number of waiting uploads.
    let maxWaiting: Int
    /// The maximum number of waiting uploads per database.
    let maxWaitingPerDatabase: Int
    let locks = UploadLocks()

    /// The limits on every upload, in the format of the `Upload-Limit` header.
    var limit: String { "max-size=\(uploader.maxAssetBytes), max-age=\(life.components.seconds)" }

    /// Answers the first request of an upload. The request contains all or some of the upload's bytes.
    ///
    /// - Returns: nil if too many uploads are waiting but this request contains all bytes, in which case the upload
    ///   does not have to be resumable.
    /// - Throws: any error that ``UploadBody/read(into:)`` throws; `upload_header_invalid`, `upload_length_mismatch`,
    ///   `too_many_uploads`, `quota_exceeded`.
    func begin(
        _ request: Request, _ headers: ResumptionHeaders, _ body: UploadBody, permit: Permit, on channel: any Channel
    ) async throws -> Response? {
        let isComplete = headers.isComplete ?? true
        guard headers.offset ?? 0 == 0 else {
            throw ServerError.uploadHeaderInvalid(.uploadOffset, "must be 0 in the first request")
        }
        let id = UploadID(
            length: headers.length ?? permit.ticket.content?.size ?? (isComplete ? body.length : nil),
            checksum: try ContentDigests.sha256(request.headers, .reprDigest))
        try checkLength(of: id, headers, body, at: 0, permit)
        let name = self.name(of: id, permit)
        return try await locks.withLock(name.text, on: channel) {
            let start = try await partials.begin(name, limit: maxWaiting, databaseLimit: maxWaitingPerDatabase)
            guard case .upload(let partial) = start else {
                guard !isComplete, case .tooMany(let limit) = start else { return nil }
                throw ServerError.tooManyUploads(limit: limit)
            }
            let usage = try await usage(of: id, name, partial, permit)
            let location = AssetURL.upload(base: publicURL, ticket: permit.text) + "/\(id)"
            InterimResponse.send(
                "104 Upload Resumption Supported",
                [
                    .location: location, .uploadDraftInteropVersion: String(headers.version.rawValue),
                    .uploadLimit: limit,
                ], on: channel)
            if request.expectsContinue { InterimResponse.send("100 Continue", on: channel) }
            var response = try await receive(body, of: id, in: partial, within: usage, isComplete, headers, permit)
            response.headers[.location] = location
            return response
        }
    }

    /// Reads the quotas again, now that the upload is one of the waiting uploads. Therefore, if two uploads begin at
    /// the same time, at least one of them takes the other into account. Discards the upload if it does not fit within
    /// a quota.
    private func usage(
        of id: UploadID, _ name: PartialName, _ partial: any PartialUpload, _ permit: Permit
    ) async throws -> QuotaUsage {
        do {
            let usage = try await uploader.quotaUsage(
                of: permit.ticket.scope, besides: name, patience: UploadRoute.patience)
            if let length = id.length { try usage.admit(length, field: permit.ticket.fieldName) }
            return usage
        } catch {
            await partial.discard()
            throw error
        }
    }

    /// Answers `HEAD` with the offset of an upload.
    ///
    /// - Throws: `upload_not_found`, `upload_in_use`, `upload_header_invalid`.
    func offset(of id: UploadID, _ request: Request, permit: Permit, on channel: any Channel) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        let name = self.name(of: id, permit)
        return try await locks.withLock(name.text, on: channel) {
            var fields: HTTPFields
            switch try await partials.take(name, life: life) {
            case .upload(let partial):
                await partial.suspend()
                fields = headers.fields(offset: partial.resumedBytes, isComplete: false)
            case .ended(let note):
                fields = headers.fields(offset: EndedUpload(note)?.content.size ?? 0, isComplete: true)
            case .inUse: throw ServerError.uploadInUse()
            case .absent: throw ServerError.uploadNotFound()
            }
            fields[.uploadLimit] = limit
            return Response(status: .noContent, headers: fields)
        }
    }

    /// Answers `PATCH`, which sends the next bytes of an upload and can complete it.
    ///
    /// - Throws: any error that ``begin(_:_:_:permit:on:)`` throws; `upload_not_found`, `upload_in_use`;
    ///   ``UploadConflict``.
    func append(
        to id: UploadID, _ request: Request, permit: Permit, on channel: any Channel
    ) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        guard let offset = headers.offset else { throw ServerError.uploadHeaderInvalid(.uploadOffset, "is required") }
        let isComplete = headers.isComplete ?? true
        let body = try UploadBody(
            of: request, after: offset, maxAssetBytes: uploader.maxAssetBytes, field: permit.ticket.fieldName)
        let name = self.name(of: id, permit)
        return try await locks.withLock(name.text, on: channel) {
            switch try await partials.take(name, life: life) {
            case .upload(let partial):
                let usage: QuotaUsage
                do {
                    guard partial.resumedBytes == offset else {
                        throw UploadConflict(headers.fields(offset: partial.resumedBytes, isComplete: false))
                    }
                    try checkLength(of: id, headers, body, at: offset, permit)
                    usage = try await uploader.quotaUsage(
                        of: permit.ticket.scope, besides: name, patience: UploadRoute.patience)
                } catch {
                    await partial.suspend()
                    throw error
                }
                if request.expectsContinue { InterimResponse.send("100 Continue", on: channel) }
                return try await receive(body, of: id, in: partial, within: usage, isComplete, headers, permit)
            case .ended(let note):
                return try await answerAgain(note, isComplete && body.isEmpty, offset, headers, permit)
            case .inUse: throw ServerError.uploadInUse()
            case .absent: throw ServerError.uploadNotFound()
            }
        }
    }

    /// Answers `DELETE`, which cancels an upload.
    ///
    /// - Throws: `upload_not_found`, `upload_in_use`.
    func cancel(_ id: UploadID, _ request: Request, permit: Permit, on channel: any Channel) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        let name = self.name(of: id, permit)
        return try await locks.withLock(name.text, on: channel) {
            switch try await partials.take(name, life: life) {
            case .upload(let partial): await partial.discard()
            case .ended: _ = try await partials.removeNote(name)
            case .inUse: throw ServerError.uploadInUse()
            case .absent: throw ServerError.uploadNotFound()
            }
            return Response(
                status: .noContent, headers: [.uploadDraftInteropVersion: String(headers.version.rawValue)])
        }
    }

    private func name(of id: UploadID, _ permit: Permit) -> PartialName {
        PartialName(permit.ticket.scope, ticket: permit.text, id: id)
    }

    /// Checks that this request, the ticket and the request that began the upload announce the same length, if they
    /// announce any.
    private func checkLength(
        of id: UploadID, _ headers: ResumptionHeaders, _ body: UploadBody, at offset: Int64, _ permit: Permit
    ) throws(ServerError) {
        let field = permit.ticket.fieldName
        if let length = id.length, length > uploader.maxAssetBytes {
            throw .assetTooLarge(limit: uploader.maxAssetBytes, actual: length, field: field)
        }
        let end = body.length.map { offset + $0 }
        let announced = [
            headers.length, permit.ticket.content?.size, headers.isComplete == false ? nil : end, id.length,
        ].compactMap { $0 }
        guard let length = announced.last else { return }
        guard announced.allSatisfy({ $0 == length }), end ?? 0 <= length else {
            throw .uploadLengthMismatch(field: field)
        }
    }

    private func receive(
        _ body: UploadBody, of id: UploadID, in partial: any PartialUpload, within usage: QuotaUsage,
        _ isComplete: Bool, _ headers: ResumptionHeaders, _ permit: Permit
    ) async throws -> Response {
        let (ticket, field) = (permit.ticket, permit.ticket.fieldName)
        let source = ResumedBody(body: body, partial: partial)
        guard isComplete else {
            let size = try await uploader.append(
                source, to: partial, within: usage, maxLength: id.length, field: field)
            var fields = headers.fields(offset: size, isComplete: false)
            fields[.uploadLimit] = limit
            return Response(status: .created, headers: fields)
        }
        let expected = ExpectedContent(
            field: field, length: id.length, ticketed: ticket.content, digest: id.checksum)
        let asset = try await uploader.upload(
            source, to: ticket.scope, within: usage, continuing: partial, expecting: expected, field: field,
            patience: UploadRoute.patience)
        // Without the note, a client that missed the response would have to send everything again.
        try? await partials.note(EndedUpload(content: asset.content).note, under: name(of: id, permit))
        var response = Response.upload(asset)
        response.headers.append(contentsOf: headers.fields(offset: asset.content.size, isComplete: true))
        return response
    }

    /// Repeats the response to an upload that has ended, with a new receipt, for a client that has no more bytes to
    /// send.
    private func answerAgain(
        _ note: String, _ isEmpty: Bool, _ offset: Int64, _ headers: ResumptionHeaders, _ permit: Permit
    ) async throws -> Response {
        guard let content = EndedUpload(note)?.content else { throw ServerError.uploadNotFound() }
        let fields = headers.fields(offset: content.size, isComplete: true)
        guard isEmpty, offset == content.size else { throw UploadConflict(fields) }
        try await uploader.rights.checkWriting(permit.ticket.scope)
        let assets = try await uploader.retry.run(
            deadline: SystemClock.milliseconds() + UploadRoute.patience.components.seconds * 1000,
            failingWith: BlobStoreError.self
        ) { try await receipts.receipts(for: [content.checksum], in: permit.ticket.scope) }
        guard let asset = assets[content.checksum] else { throw ServerError.uploadNotFound() }
        var response = Response.upload(asset)
        response.headers.append(contentsOf: fields)
        return response
    }
}
