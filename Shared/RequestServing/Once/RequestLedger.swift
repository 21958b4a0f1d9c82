internal import AMQPClient
internal import CloudKitModel
package import PostgresClient
internal import ServiceMessages

/// Executes writes once: what was answered to which request is kept for a day.
package struct RequestLedger: Sendable {
    private let pool: PostgresPool
    private let table: RequestTable

    /// A ledger in `table`.
    package init(pool: PostgresPool, table: RequestTable) {
        self.pool = pool
        self.table = table
    }

    /// What was answered to a request already; nil: nothing yet. For work that is better not done twice, but cannot be
    /// done in ``once(_:environment:_:)``'s transaction. One round trip.
    ///
    /// - Throws: `MESSAGE_ID_REUSED` when the id was another request's, `PostgresError`.
    package func answer(to request: OpenedRequest, environment: Int32) async throws -> Answer? {
        let key = Self.key(request, environment)
        let results = try await pool.withConnection { try await $0.pipeline([table.read([key])]) }
        return try Self.answer(results[0], key, request)
    }

    /// Executes a write once: a repeat of the same request gets the first answer, word for
    /// word. Two copies at once are in each other's way at an advisory lock, and the later one sees the row.
    ///
    /// A write that throws leaves nothing, and is executed anew when it is repeated.
    ///
    /// - Parameter first: statements with which the transaction begins.
    package func once(
        _ request: OpenedRequest, environment: Int32, first: [PostgresCall] = [],
        _ execute: (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        let key = Self.key(request, environment)
        return try await pool.withTransaction { connection -> Answer in
            let results = try await connection.pipeline(first + [table.lock([key]), table.read([key])])
            if let answer = try Self.answer(results[first.count + 1], key, request) { return answer }
            var answer = try await execute(connection)
            // It will have been committed: an error would say otherwise.
            answer.shortBody = answer.shortBody ?? Answer.omitted
            _ = try await connection.pipeline([
                table.insert([RequestTable.Row(key: key, bodyHash: request.identity, outcome: answer.body)])
            ])
            return answer
        }
    }

    private static func key(_ request: OpenedRequest, _ environment: Int32) -> RequestTable.Key {
        RequestTable.Key(
            environment: environment, user: request.context.user,
            messageID: MessageID(unchecked: request.delivery.properties.messageID ?? ""))
    }

    private static func answer(_ result: PostgresResult, _ key: RequestTable.Key, _ request: OpenedRequest) throws
        -> Answer?
    {
        guard let row = RequestTable.rows(result)[key] else { return nil }
        guard row.bodyHash == request.identity else { throw ServerError.messageIDReused() }
        var answer = Answer(status: 200, body: row.outcome)
        answer.shortBody = Answer.omitted
        return answer
    }
}
