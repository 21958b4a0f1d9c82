internal import AMQPClient
internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `records.query` (web-services 2.3): a page of the records that a query finds.
///
/// Indexes are updated in the transaction that saves a record, so a query finds every record whose save was
/// acknowledged before the query began.
struct RecordsQueryOperation: Sendable {
    let source: QuerySource
    /// The keys of ``SigningKeys/Purpose/queryMarker``.
    let markerKeys: SigningKeys
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try QueryRecordsRequest(decoding: request.delivery.body)
        let query = try Query(body.query)
        let context = try ZoneAccess.context(of: body.scope, for: request.context)
        return try await QueryAttempts(source: source, context: context).answer(query, body.scope) {
            try await page(of: query, body, at: $0, for: context)
        }
    }

    private func page(
        of query: Query, _ body: QueryRecordsRequest, at attempt: QueryAttempts.Attempt, for context: RequestContext
    ) async throws -> Answer {
        let digest = attempt.resolver.digest(query, body.scope, attempt.plan)
        let position = try body.continuationMarker.map { try open($0, of: digest) }
        var limit = min(max(1, body.resultsLimit ?? source.limits.defaultResults), source.limits.maxResults)
        let runner = QueryRunner(source: source)
        // The loop usually runs once. The size of records as JSON is known only after they have been written. If a page
        // is too large, it is read again with only as many records as fit.
        while true {
            let (answer, fitting) = try await page(
                body, at: attempt, digest: digest, after: position, limit: limit, by: runner, for: context)
            guard let fitting else { return answer }
            limit = fitting
        }
    }

    /// - Returns: the answer and, if not all records fit, the number of records that fit.
    private func page(
        _ body: QueryRecordsRequest, at attempt: QueryAttempts.Attempt, digest: [UInt8], after position: QueryPosition?,
        limit: Int, by runner: QueryRunner, for context: RequestContext
    ) async throws -> (Answer, fitting: Int?) {
        let page = try await runner.page(attempt.plan, after: position, limit: limit) { $0 }
        let marker = page.next.map {
            QueryMarker(query: digest, issuedAt: SystemClock.milliseconds(), position: $0).sealed(
                with: markerKeys)
        }
        let pageAnswer = PageAnswer(
            page: page, marker: marker, body: body, plan: attempt.plan, context: context, downloads: downloads,
            maxBytes: source.limits.maxAnswerBytes)
        let (answer, fitting, isWhole) = try pageAnswer.written()
        if !isWhole, fitting == nil {
            // Throws if another instance has added a field to the schema, so that the query is planned again.
            // Otherwise, the page is complete.
            _ = try await runner.schema(attempt.plan, of: try page.found.map { try $0.record() })
        }
        return (answer, fitting)
    }

    private func open(_ text: String, of digest: [UInt8]) throws(ServerError) -> QueryPosition {
        let key = "continuationMarker"
        guard let marker = QueryMarker(opening: text, with: markerKeys) else {
            throw ServerError(.queryMarkerInvalid, "This server did not issue the continuation marker", field: key)
        }
        guard marker.query == digest else {
            throw ServerError(.queryMarkerForeign, "The continuation marker belongs to another query", field: key)
        }
        guard SystemClock.milliseconds() - marker.issuedAt <= QueryMarker.life else {
            throw ServerError(.queryMarkerExpired, "cursorExpired: the continuation marker is too old", field: key)
        }
        return marker.position
    }
}
