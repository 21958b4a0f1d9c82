internal import CloudKitModel
internal import PostgresClient

/// What the database says of a query that took too long.
enum QueryTrouble {
    /// The query was stopped.
    static var tooExpensive: ServerError {
        ServerError(.queryTooExpensive, "The query was stopped: it ran for longer than one may", field: "filterBy")
    }

    /// Runs `work`, and says by name that the statement timeout has stopped it. (As any other error of the server's
    /// operation it would be tried again until the deadline.)
    static func naming<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as PostgresError where error.sqlState == .queryCanceled && !Task.isCancelled {
            throw tooExpensive
        }
    }
}
