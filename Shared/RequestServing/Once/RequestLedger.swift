internal import AMQPClient
internal import CloudKitModel
package import PostgresClient
internal import ServiceMessages

/// A ledger that ensures that each write is executed only once. It keeps the answer to each write for a day.
package struct RequestLedger: Sendable {
    private let pool: PostgresPool
    private let table: RequestTable

    /// Creates a ledger that stores answers in `table`.
    package init(pool: PostgresPool, table: RequestTable) {
        self.pool = pool
        self.table = table
    }

    /// Returns the earlier answer to a request; nil if there is none. Use this method for work that should not be
    /// repeated but cannot run in the transaction of ``once(_:environment:first:_:)``. Takes one round trip.
    ///
    /// - Throws: `message_id_reused` if a different request has already used the id, or `PostgresError`.
    package func answer(to request: OpenedRequest, environment: Int32) async throws -> Answer? {
        let key = Self.key(request, environment)
        let results = try await pool.withConnection { try await $0.pipeline([table.read([key])]) }
        return try Self.answer(results[0], key, request)
    }

    /// Executes a write once. A repeat of the same request gets the first answer, byte for byte. An advisory lock
    /// serializes concurrent copies of a request, so the later copy finds the row of the first.
    ///
    /// A write that throws leaves no row, so a repeat executes it again.
    ///
    /// - Parameter first: statements to execute at the beginning of the transaction.
    package func once(
        _ request: OpenedRequest, environment: Int32, first: [PostgresCall] = [],
        _ execute: (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        let key = Self.key(request, environment)
        return try await pool.withTransaction { connection -> Answer in
            let results = try await connection.pipeline(first + [table.lock([key]), table.read([key])])
            if let answer = try Self.answer(results[first.count + 1], key, request) { return answer }
            var answer = try await execute(connection)
            // If the body is too large for a message, the short body is sent. An error would be wrong, because the
            // write has already been committed.
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
