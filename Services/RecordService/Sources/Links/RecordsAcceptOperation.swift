internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `records.accept` (web-services 2.9): makes the user a participant in the shares to which links lead. The answer shows
/// what the user may see afterwards, even if the request was repeated.
struct RecordsAcceptOperation: Sendable {
    let writer: LinkWriter
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// Accepts the shares, one after another, and answers with one result for each short GUID.
    ///
    /// - Throws: `BAD_REQUEST`, `AUTHENTICATION_REQUIRED`, or `PostgresError`, in particular when the lock of a zone is
    ///   not granted in time. Some of the shares might already have been accepted; a repeated request accepts the rest.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ShortGUIDsRequest(decoding: request.delivery.body)
        let caller = try LinkReader.caller(request.context)
        let targets = try await writer.links.targets(body.items, for: request.context)
        var events: [ChangeEvent] = []
        var errors: [ServerError?] = []
        for (position, item) in body.items.enumerated() {
            let target = targets[item.value]
            var share = WireShare()
            share.acceptance = WireShare.Acceptance(
                link: item.value, oneTime: target?.oneTime, caller: caller, maxPublicUsers: limits.maxPublicUsers)
            errors.append(try await writer.change(target, share, request, position: position, &events))
        }
        let results = zip(errors, try await writer.links.read(body.items, for: request.context)).map { error, result in
            if let error { return Result<LinkReader.Found, ServerError>.failure(error) }
            // The user might have lost access in the meantime.
            if case .success(let found) = result, !found.standing.hasAccess { return .failure(.shareLinkUnknown()) }
            return result
        }
        var answer = ShareMetadata(context: request.context, downloads: downloads, maxBytes: limits.maxAnswerBytes)
            .answer(body.items, results)
        answer.shortBody = Answer.omitted
        answer.events = events
        return answer
    }
}
