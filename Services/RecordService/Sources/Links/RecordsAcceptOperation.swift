internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing

/// `records.accept` (web-services 2.9): makes the user a participant in the shares to which links lead. The answer shows
/// what the user may see afterwards, even if the request was repeated.
struct RecordsAcceptOperation: Sendable {
    let writer: LinkWriter
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// Accepts the shares, one after another, and answers with one result for each short GUID.
    ///
    /// - Throws: `BAD_REQUEST` or any error that ``LinkWriter/change(_:_:_:_:)`` throws.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let items = try ShortGUIDsRequest(decoding: request.delivery.body).items
        let outcome = try await writer.change(items, request, .accept) { link, entrance, caller in
            var share = WireShare()
            share.acceptance = WireShare.Acceptance(
                link: link, oneTime: entrance.oneTime, caller: caller, maxPublicUsers: limits.maxPublicUsers)
            return share
        }
        let accepted = zip(items, outcome.errors).filter { $1 == nil }.map { item, _ in item }
        var found = try await writer.links.read(accepted, for: request.context).makeIterator()
        let results: [Result<LinkReader.Found, ServerError>] = outcome.errors.map { error in
            if let error { return .failure(error) }
            // The user might have lost access in the meantime.
            guard let result = found.next(), (try? result.get())?.standing.hasAccess != false else {
                return .failure(.shareLinkUnknown())
            }
            return result
        }
        var answer = ShareMetadata(context: request.context, downloads: downloads, maxBytes: limits.maxAnswerBytes)
            .answer(items, results)
        answer.shortBody = Answer.omitted
        answer.events = outcome.events
        return answer
    }
}
