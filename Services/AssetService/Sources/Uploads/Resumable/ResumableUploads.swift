internal import CloudKitModel
internal import CloudKitWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// Uploads that go on after an interruption (draft-ietf-httpbis-resumable-upload, interop versions 3, 5 and 6): begun at
/// the ticket's URL, resumed at a URL below it. What arrived is in the store, so it does not matter to which instance
/// the next request comes, nor whether the service was restarted in between.
struct ResumableUploads: Sendable {
    /// How long a client waits for a database that is away.
    static let patience = Duration.seconds(30)

    /// An upload's ticket, as it stands in its URL and what it says.
    struct Permit: Sendable {
        let text: String
        let ticket: AssetUploadTicket
    }

    let uploader: AssetUploader
    let receipts: AssetReceipts
    let partials: PartialUploads
    /// The service's public address.
    let publicURL: String
    /// How long an upload waits to be resumed.
    let life: Duration
    /// How many may wait.
    let maxWaiting: Int
    /// How many of one database.
    let maxWaitingPerDatabase: Int
    let turns = UploadTurns()

    /// What holds for every upload: the header `Upload-Limit`.
    var limit: String { "max-size=\(uploader.maxAssetBytes), max-age=\(life.components.seconds)" }

    /// The first request of an upload, with all of its bytes or some.
    ///
    /// - Returns: nil when no more can be made resumable, and this one need not be.
    /// - Throws: as ``UploadBody/read(into:)``, `upload_header_invalid`, `upload_length_mismatch`, `too_many_uploads`.
    func begin(
        _ request: Request, _ headers: ResumptionHeaders, _ body: UploadBody, permit: Permit, on channel: any Channel
    ) async throws -> Response? {
        let isComplete = headers.isComplete ?? true
        guard headers.offset ?? 0 == 0 else { throw ServerError.uploadHeaderInvalid(.uploadOffset, "is 0 here") }
        let id = UploadID(
            length: headers.length ?? permit.ticket.content?.size ?? (isComplete ? body.length : nil),
            checksum: try ContentDigests.sha256(request.headers, .reprDigest))
        try checkLength(of: id, headers, body, at: 0, permit)
        let name = self.name(of: id, permit)
        return try await turns.withTurn(at: name.text, on: channel) {
            let begun = try await partials.begin(name, limit: maxWaiting, ownLimit: maxWaitingPerDatabase)
            guard case .upload(let partial) = begun else {
                guard !isComplete, case .tooMany(let limit) = begun else { return nil }
                throw ServerError.tooManyUploads(limit: limit)
            }
            let location = AssetURL.upload(base: publicURL, ticket: permit.text) + "/\(id)"
            InterimResponse.send(
                "104 Upload Resumption Supported",
                [
                    .location: location, .uploadDraftInteropVersion: String(headers.version.rawValue),
                    .uploadLimit: limit,
                ], on: channel)
            if request.isWaitingToContinue { InterimResponse.send("100 Continue", on: channel) }
            var response = try await receive(body, of: id, in: partial, isComplete, headers, permit)
            response.headers[.location] = location
            return response
        }
    }

    /// `HEAD`: how much of an upload is there.
    ///
    /// - Throws: `upload_not_found`, `upload_in_use`, `upload_header_invalid`.
    func offset(of id: UploadID, _ request: Request, permit: Permit, on channel: any Channel) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        let name = self.name(of: id, permit)
        return try await turns.withTurn(at: name.text, on: channel) {
            var fields: HTTPFields
            switch try await partials.take(name, life: life) {
            case .upload(let partial):
                await partial.suspend()
                fields = headers.fields(offset: partial.offset, isComplete: false)
            case .ended(let note):
                fields = headers.fields(offset: EndedUpload(note)?.size ?? 0, isComplete: true)
            case .inUse: throw ServerError.uploadInUse()
            case .absent: throw ServerError.uploadNotFound()
            }
            fields[.uploadLimit] = limit
            return Response(status: .noContent, headers: fields)
        }
    }

    /// `PATCH`: more bytes of an upload, or its last ones.
    ///
    /// - Throws: as ``begin(_:_:_:permit:on:)``, `upload_not_found`, `upload_in_use`; ``UploadConflict``.
    func append(
        to id: UploadID, _ request: Request, permit: Permit, on channel: any Channel
    ) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        guard let offset = headers.offset else { throw ServerError.uploadHeaderInvalid(.uploadOffset, "is needed") }
        let isComplete = headers.isComplete ?? true
        let body = try UploadBody(
            of: request, after: offset, maxAssetBytes: uploader.maxAssetBytes, field: permit.ticket.fieldName)
        let name = self.name(of: id, permit)
        return try await turns.withTurn(at: name.text, on: channel) {
            switch try await partials.take(name, life: life) {
            case .upload(let partial):
                do {
                    guard partial.offset == offset else {
                        throw UploadConflict(headers.fields(offset: partial.offset, isComplete: false))
                    }
                    try checkLength(of: id, headers, body, at: offset, permit)
                } catch {
                    await partial.suspend()
                    throw error
                }
                if request.isWaitingToContinue { InterimResponse.send("100 Continue", on: channel) }
                return try await receive(body, of: id, in: partial, isComplete, headers, permit)
            case .ended(let note):
                return try await answerAgain(note, isComplete && body.isEmpty, offset, headers, permit)
            case .inUse: throw ServerError.uploadInUse()
            case .absent: throw ServerError.uploadNotFound()
            }
        }
    }

    /// `DELETE`: the upload is not wanted any more.
    ///
    /// - Throws: `upload_not_found`, `upload_in_use`.
    func cancel(_ id: UploadID, _ request: Request, permit: Permit, on channel: any Channel) async throws -> Response {
        let headers = try ResumptionHeaders(resuming: request.headers)
        let name = self.name(of: id, permit)
        return try await turns.withTurn(at: name.text, on: channel) {
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

    /// What was told of the length, now and when the upload was begun, fits together.
    private func checkLength(
        of id: UploadID, _ headers: ResumptionHeaders, _ body: UploadBody, at offset: Int64, _ permit: Permit
    ) throws(ServerError) {
        let field = permit.ticket.fieldName
        if let length = id.length, length > uploader.maxAssetBytes {
            throw .assetTooLarge(limit: uploader.maxAssetBytes, actual: length, field: field)
        }
        let end = body.length.map { offset + $0 }
        let told = [headers.length, permit.ticket.content?.size, headers.isComplete == false ? nil : end, id.length]
            .compactMap { $0 }
        guard let length = told.last else { return }
        guard told.allSatisfy({ $0 == length }), end ?? 0 <= length else {
            throw .uploadLengthMismatch(field: field)
        }
    }

    private func receive(
        _ body: UploadBody, of id: UploadID, in partial: PartialFile, _ isComplete: Bool,
        _ headers: ResumptionHeaders, _ permit: Permit
    ) async throws -> Response {
        guard isComplete else { return try await receivePart(body, of: id, in: partial, headers, permit) }
        let field = permit.ticket.fieldName
        let asset = try await uploader.upload(
            to: permit.ticket.scope, continuing: partial, named: name(of: id, permit), field: field,
            patience: Self.patience
        ) { incoming in
            try await Self.read(body, into: &incoming, of: partial)
            guard id.length ?? incoming.size == incoming.size else {
                throw ServerError.uploadLengthMismatch(field: field)
            }
        } verifying: { content throws(ServerError) in
            try permit.ticket.check(content)
            guard id.checksum ?? content.checksum == content.checksum else {
                throw .checksumMismatch("Repr-Digest", field: field)
            }
        }
        // Without it a client that missed the answer would only have to send everything again.
        try? await partials.note(EndedUpload(asset.content).note, under: name(of: id, permit))
        var response = Response.upload(asset)
        response.headers.append(contentsOf: headers.fields(offset: asset.content.size, isComplete: true))
        return response
    }

    /// Bytes that are not the last ones: durable when they are acknowledged.
    private func receivePart(
        _ body: UploadBody, of id: UploadID, in partial: PartialFile, _ headers: ResumptionHeaders, _ permit: Permit
    ) async throws -> Response {
        let (field, scope) = (permit.ticket.fieldName, permit.ticket.scope)
        let room: QuotaRoom
        do {
            room = try await uploader.room(for: scope, besides: name(of: id, permit), patience: Self.patience)
        } catch {
            await partial.suspend()
            throw error
        }
        var incoming = IncomingAsset(partial, maxBytes: uploader.maxAssetBytes, field: field, room: room)
        do {
            try await Self.read(body, into: &incoming, of: partial)
            try await incoming.flush()
            guard incoming.size <= id.length ?? .max else { throw ServerError.uploadLengthMismatch(field: field) }
        } catch let interruption as AssetUploader.Interruption {
            await partial.suspend()
            throw interruption.reason
        } catch {
            await partial.discard()
            throw error
        }
        await partial.suspend()
        var fields = headers.fields(offset: incoming.size, isComplete: false)
        fields[.uploadLimit] = limit
        return Response(status: .created, headers: fields)
    }

    /// A part that arrived wrong is forgotten; those before it stay.
    private static func read(_ body: UploadBody, into incoming: inout IncomingAsset, of partial: PartialFile)
        async throws
    {
        var body = body
        do {
            try await body.read(into: &incoming)
        } catch let error as ServerError where error.reasonCode == ReasonCode.checksumMismatch.rawValue {
            guard partial.offset > 0 else { throw error }
            try await partial.rewind()
            throw AssetUploader.Interruption(reason: error)
        }
    }

    /// The answer of an upload that has ended, with another receipt, to a client that has nothing more to send.
    private func answerAgain(
        _ note: String, _ isEmpty: Bool, _ offset: Int64, _ headers: ResumptionHeaders, _ permit: Permit
    ) async throws -> Response {
        guard let ended = EndedUpload(note) else { throw ServerError.uploadNotFound() }
        let fields = headers.fields(offset: ended.size, isComplete: true)
        guard isEmpty, offset == ended.size else { throw UploadConflict(fields) }
        let assets = try await uploader.trouble.outlast(
            deadline: SystemClock.milliseconds() + Self.patience.components.seconds * 1000,
            failingWith: BlobStoreError.self
        ) { try await receipts.receipts(for: [ended.checksum], in: permit.ticket.scope) }
        guard let asset = assets[ended.checksum] else { throw ServerError.uploadNotFound() }
        var response = Response.upload(asset)
        response.headers.append(contentsOf: fields)
        return response
    }
}

/// The offset that a request named is not the upload's.
struct UploadConflict: Error {
    let error = ServerError.uploadOffsetMismatch()
    /// Which one it is.
    let fields: HTTPFields

    init(_ fields: HTTPFields) { self.fields = fields }
}

/// What an upload was, for its note.
private struct EndedUpload {
    let checksum: AssetChecksum
    let size: Int64

    init(_ content: IncomingAsset.Content) { (checksum, size) = (content.checksum, content.size) }

    init?(_ note: String) {
        let parts = note.split(separator: " ")
        guard parts.count == 2, let checksum = AssetChecksum(String(parts[0])), let size = Int64(parts[1]) else {
            return nil
        }
        (self.checksum, self.size) = (checksum, size)
    }

    var note: String { "\(checksum.hex) \(size)" }
}

extension AssetUploadTicket {
    /// Whether what came is what the ticket is for.
    ///
    /// - Throws: `checksum_mismatch`.
    func check(_ arrived: IncomingAsset.Content) throws(ServerError) {
        guard let content, content.checksum != arrived.checksum || content.size != arrived.size else { return }
        throw .checksumMismatch("assets.upload", field: fieldName)
    }
}

extension Request {
    /// Whether the client sends its body only when it is told to.
    var isWaitingToContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}

extension Response {
    /// The answer to an upload (web-services 7.2).
    static func upload(_ asset: UploadedAsset) -> Response {
        var writer = WireWriter()
        writer.object { asset.write(to: &$0) }
        return .json(status: .ok, writer.bytes)
    }
}
