package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The values of ``RecordSettings`` and `HostSettings`.
package struct RecordServiceConfiguration: HostedConfiguration {
    /// The configuration of broker, database and health.
    package var host: HostConfiguration
    /// The keys that sign sync tokens.
    package var keys: SigningKeys
    /// The keys that verify the receipts of uploads.
    package var receiptKeys: SigningKeys
    /// The addresses of assets in answers; nil if answers contain none.
    package var downloads: AssetDownloads?
    /// Whether a container is created on first use.
    package var createsContainers: Bool
    /// The number of concurrent write transactions.
    package var lanes: Int
    /// The number of concurrent reads.
    package var readers: Int
    /// The number of concurrent queries.
    package var queries: Int
    /// The time for which a statement of a query may run, and for which the records of a page may be evaluated in
    /// memory.
    package var queryTimeout: Duration
    /// The keys that sign the markers of queries.
    package var markerKeys: SigningKeys
    /// The maximal number of write requests held at once.
    package var prefetch: Int
    /// The maximal bytes of write requests held at once.
    package var heldBytes: Int
    /// The approximate size of remembered zones and databases, in bytes.
    package var directoryBytes: Int
    /// Whether the targets of `DELETE_SELF` references have to exist.
    package var strictReferences: Bool
    /// The time for which deletions are reported.
    package var retention: Duration
    /// Whether messages may request failures.
    package var faults: Bool
    /// The limits of requests.
    package var limits: Limits

    /// The maximal number of operations of one write transaction, unless a single request has more.
    package static let maxBatchOperations = 256
    /// The maximal bytes of the bodies of one write transaction, unless a single request has more.
    package static let maxBatchBytes = 1 << 20
    /// The number of concurrent requests of operators.
    package static let adminWorkers = 2
    /// The number of concurrent requests of other services.
    package static let internalWorkers = 2

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = RecordSettings()
    private static let limitSettings = LimitSettings(Limit.record)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` that names all invalid settings.
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
        // Each lane, each worker, each background job, and a lane that creates partitions may need a connection at the
        // same time.
        host.postgres.maxConnections =
            lanes + readers + Self.adminWorkers + Self.internalWorkers + DatabaseWrites.workers + ZoneLookUp.workers
            + SchemaExtender.workers + RecordJobs.connections + 1
    }

    /// The configuration of the connections of queries, whose statements have a timeout.
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
