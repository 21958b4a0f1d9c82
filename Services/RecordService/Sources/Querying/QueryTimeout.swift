internal import CloudKitModel
internal import PostgresClient

/// The error for a query that was stopped by the statement timeout.
enum QueryTimeout {
    /// The error for a stopped query.
    static var tooExpensive: ServerError {
        ServerError(.queryTooExpensive, "The query was stopped because it ran for too long", field: "filterBy")
    }

    /// Runs `work`, and replaces a statement timeout error with ``tooExpensive``. Otherwise, the query would be retried
    /// until the deadline, as after other database errors.
    static func naming<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as PostgresError where error.sqlState == .queryCanceled && !Task.isCancelled {
            throw tooExpensive
        }
    }
}
