internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage

/// The data sources of queries, and the limits on their work.
struct QuerySource: Sendable {
    let directory: ZoneDirectory
    let schema: SchemaStore
    /// The connections for queries. Their statements have a timeout, so that a query cannot delay other requests for
    /// long.
    let pool: PostgresPool
    let indexes: QueryIndexes
    var limits: Limits
    /// The maximum time that one request can spend evaluating records in memory.
    var maxTime: Duration = .seconds(5)

    /// The session parameters of the connections in ``pool``. They turn each pipeline into a transaction with one
    /// snapshot, even without `begin` and `commit` statements.
    static let sessionParameters = [
        "default_transaction_isolation": "repeatable read", "default_transaction_read_only": "on",
    ]
}
