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

    /// Executes a write once: a repeat of the same request gets the first answer, word for
    /// word. Two copies at once are in each other's way at an advisory lock, and the later one sees the row.
    ///
    /// A write that throws leaves nothing, and is executed anew when it is repeated.
    package func once(
        _ request: OpenedRequest, environment: Int32, _ execute: (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        let key = RequestTable.Key(
            environment: environment, user: request.context.user,
            messageID: request.delivery.properties.messageID ?? "")
        return try await pool.withTransaction { connection -> Answer in
            let results = try await connection.pipeline([
                RequestTable.lock(key), table.read([key]),
            ])
            if let row = RequestTable.rows(results[1])[key] {
                guard row.bodyHash == request.identity else { throw ServerError.messageIDReused() }
                return Answer(status: 200, body: row.outcome)
            }
            let answer = try await execute(connection)
            _ = try await connection.pipeline([
                table.insert([RequestTable.Row(key: key, bodyHash: request.identity, outcome: answer.body)])
            ])
            return answer
        }
    }
}
