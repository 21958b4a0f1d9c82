internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import SignedTokens

/// The values from which ``OperationTable`` creates the operations. Each operation gets only the values that it uses.
struct OperationDependencies: Sendable {
    let pool: PostgresPool
    var directory: ZoneDirectory
    var schema: SchemaStore
    /// The keys of ``SigningKeys/Purpose/syncToken``.
    let keys: SigningKeys
    /// The keys of ``SigningKeys/Purpose/queryMarker``.
    let markerKeys: SigningKeys
    /// The store's incarnation, which sync tokens contain.
    var present: StoreIncarnation
    var limits: Limits
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    /// The connections for queries, with a statement timeout.
    var queryPool: PostgresPool
    /// The maximum time that one request may spend evaluating records in memory.
    var queryTime: Duration = .seconds(5)
    /// The indexes that queries use.
    var indexes: QueryIndexes
    /// The permitted request rates, which `service.capabilities` reports.
    var throttle = ThrottleConfiguration()

    /// The ledger of executed writes.
    var ledger: RequestLedger { RequestLedger(pool: pool, table: .record) }
    /// The issuer of sync tokens.
    var tokens: ZoneTokenIssuer { ZoneTokenIssuer(keys: keys, incarnation: present) }
    /// The reader of zones.
    var reader: ZoneReader { ZoneReader(pool: pool, directory: directory, schema: schema) }
    /// The reader of links.
    var links: LinkReader { LinkReader(pool: pool, directory: directory, reader: reader) }
    /// The data sources of queries, and the limits on their work.
    var querySource: QuerySource {
        QuerySource(
            directory: directory, schema: schema, pool: queryPool, indexes: indexes, limits: limits, maxTime: queryTime)
    }
}
