internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `shares.locate`, for the gateway: the container and the environment of a link. The link itself contains neither.
///
/// `{shortGUID}` → `{container?, environment?}`. Both are absent if the link is unknown. The gateway does not disclose
/// them: it asks `records.resolve` in that environment what the user may see.
struct SharesLocateOperation: Sendable {
    let pool: PostgresPool

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let link = body["shortGUID"]?.string else { throw ServerError.missingKey("shortGUID") }
        var place: (container: String, environment: String)?
        if ShareLink.isValid(link) {
            let results = try await pool.withConnection { try await $0.pipeline([LinkTable.locate(link)]) }
            place = LinkTable.place(results[0])
        }
        return Answer { [place] writer in
            writer.member("container", place?.container)
            writer.member("environment", place?.environment)
        }
    }
}
