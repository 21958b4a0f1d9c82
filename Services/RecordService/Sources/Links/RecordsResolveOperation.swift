internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing

/// `records.resolve` (web-services 2.9): returns the shares to which links lead, limited to what the user is allowed to
/// see. The operation changes nothing.
struct RecordsResolveOperation: Sendable {
    let links: LinkReader
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// Answers with one result for each short GUID.
    ///
    /// - Throws: `BAD_REQUEST`, `AUTHENTICATION_REQUIRED`, or `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ShortGUIDsRequest(decoding: request.delivery.body)
        let results = try await links.read(body.items, for: request.context)
        return ShareMetadata(context: request.context, downloads: downloads, maxBytes: limits.maxAnswerBytes)
            .answer(body.items, results)
    }
}
