package import CloudKitModel
internal import PostgresClient
internal import RecordStorage
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The values of ``RecordSettings`` and `HostSettings`.
package struct RecordServiceConfiguration: HostedConfiguration {
    /// The configuration of the broker, the database and the health checks.
    package var host: HostConfiguration
    /// The keys that sign sync tokens.
    package var keys: SigningKeys
    /// The keys that verify upload receipts.
    package var receiptKeys: SigningKeys
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    package var downloads: AssetDownloads?
    /// Whether a container is created on first use.
    package var createsContainers: Bool
    /// The number of concurrent write transactions.
    package var lanes: Int
    /// The number of concurrent reads.
    package var readers: Int
    /// The number of concurrent queries.
    package var queries: Int
    /// The maximum running time of a query statement, and the maximum time that one request can spend evaluating
    /// records in memory.
    package var queryTimeout: Duration
    /// The keys that sign query markers.
    package var markerKeys: SigningKeys
    /// The maximum number of write requests that are held at the same time.
    package var prefetch: Int
    /// The maximum total size of the bodies of these write requests, in bytes.
    package var heldBytes: Int
    /// The approximate maximum size of all cached zones and databases, in bytes.
    package var directoryBytes: Int
    /// Whether the target of a saved `DELETE_SELF` reference must exist for native clients too.
    package var strictReferences: Bool
    /// How long deletions of records and zones are kept.
    package var retention: Duration
    /// Whether messages can request that faults be injected, for tests.
    package var faults: Bool
    /// The limits on requests.
    package var limits: Limits

    /// The maximum number of operations in one write transaction, unless a single request contains more.
    package static let maxBatchOperations = 256
    /// The maximum total size of the request bodies in one write transaction, in bytes, unless a single body is larger.
    package static let maxBatchBytes = 1 << 20
    /// The number of operators' requests that are executed concurrently.
    package static let adminWorkers = 2
    /// The number of requests from other services that are executed concurrently.
    package static let internalWorkers = 2

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = RecordSettings()
    private static let limitSettings = LimitSettings(Limit.record)

    /// Reads and checks the settings.
    ///
    /// - Throws: a ``SettingError`` that names all invalid settings.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-record", healthPort: values[own.healthPort])
        keys = try host.keys(for: .syncToken)
        markerKeys = try host.keys(for: .queryMarker)
        receiptKeys = try host.keys(for: .assetReceipt)
        if let url = values[own.assetURL] {
            downloads = AssetDownloads(
                base: url, keys: try host.keys(for: .assetDownload), life: values[own.downloadLife])
        }
        createsContainers = values[own.createContainers]
        lanes = values[own.lanes]
        readers = values[own.readers]
        queries = values[own.queries]
        queryTimeout = values[own.queryTimeout]
        prefetch = values[own.prefetch]
        heldBytes = values[own.heldBytes]
        directoryBytes = values[own.directoryBytes]
        strictReferences = values[own.strictReferences]
        retention = values[own.retention]
        faults = values[own.faults]
        limits = Self.limitSettings.limits(values)
        host.postgres.parameters.merge(ZoneSharing.sessionParameters) { $1 }
        // All lanes, workers and background jobs might need a connection at the same time, and one more might be needed
        // to create partitions for a lane.
        host.postgres.maxConnections =
            lanes + readers + Self.adminWorkers + Self.internalWorkers + DatabaseWrites.workers + ZoneLookUp.workers
            + SchemaExtender.workers + RecordJobs.connections + 1
    }

    /// The configuration of the connections for queries, whose statements have a timeout.
    var queryDatabase: PostgresConfiguration {
        var database = host.postgres
        database.applicationName += " queries"
        database.maxConnections = queries
        database.statementTimeout = queryTimeout
        database.parameters["max_parallel_workers_per_gather"] = "0"
        database.parameters.merge(QuerySource.sessionParameters) { $1 }
        return database
    }
}
