internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import SignedTokens

/// The values from which ``OperationTable`` makes the operations. Each operation gets only what it uses.
struct OperationDependencies: Sendable {
    let pool: PostgresPool
    var directory: ZoneDirectory
    var schema: SchemaStore
    /// The keys of ``SigningKeys/Purpose/syncToken``.
    let keys: SigningKeys
    /// The keys of ``SigningKeys/Purpose/queryMarker``.
    let markerKeys: SigningKeys
    /// The incarnation of the store, as tokens carry it.
    var present: StoreIncarnation
    var limits: Limits
    /// The addresses of assets in answers; nil if answers contain none.
    let downloads: AssetDownloads?
    /// The connections of queries, whose statements have a timeout.
    var queryPool: PostgresPool
    /// The time for which one request may evaluate records in memory.
    var queryTime: Duration = .seconds(5)
    /// The indexes of queries.
    var indexes: QueryIndexes
    /// The permitted rates of requests, which `service.capabilities` reports.
    var throttle = ThrottleConfiguration()

    /// The record of executed writes.
    var ledger: RequestLedger { RequestLedger(pool: pool, table: .record) }
    /// The issuer of sync tokens.
    var tokens: ZoneTokenIssuer { ZoneTokenIssuer(keys: keys, incarnation: present) }
    /// The reader of zones.
    var reader: ZoneReader { ZoneReader(pool: pool, directory: directory, schema: schema) }
    /// What queries read.
    var querySource: QuerySource {
        QuerySource(
            directory: directory, schema: schema, pool: queryPool, indexes: indexes, limits: limits, maxTime: queryTime)
    }
}
