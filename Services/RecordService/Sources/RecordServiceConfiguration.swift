package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// What ``RecordSettings`` and `HostSettings` say.
package struct RecordServiceConfiguration: HostedConfiguration {
    /// Broker, database, health.
    package var host: HostConfiguration
    /// Signs sync tokens.
    package var keys: SigningKeys
    /// Verifies the receipts of uploads.
    package var receiptKeys: SigningKeys
    /// The addresses of assets in answers; nil: they have none.
    package var downloads: AssetDownloads?
    /// Whether a container is made on first use.
    package var createsContainers: Bool
    /// Write transactions at once.
    package var lanes: Int
    /// Reads at once.
    package var readers: Int
    /// Queries at once.
    package var queries: Int
    /// How long a statement of a query may run, and how long memory may look for the records of a page.
    package var queryTimeout: Duration
    /// Signs the markers of queries.
    package var markerKeys: SigningKeys
    /// Write requests held at once.
    package var prefetch: Int
    /// Bytes of write requests held at once.
    package var heldBytes: Int
    /// What remembered zones and databases take, bytes.
    package var directoryBytes: Int
    /// Whether the targets of `DELETE_SELF` references have to be there.
    package var strictReferences: Bool
    /// How long deletions can be told.
    package var retention: Duration
    /// Whether messages may ask for failures.
    package var faults: Bool
    /// What requests may ask for.
    package var limits: Limits

    /// Operations of one write transaction, at most (a single request may have more).
    package static let maxBatchOperations = 256
    /// Bytes of bodies of one write transaction, at most (a single request may have more).
    package static let maxBatchBytes = 1 << 20
    /// Operators' requests at once.
    package static let adminWorkers = 2
    /// Other services' requests at once.
    package static let internalWorkers = 2

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = RecordSettings()
    private static let limitSettings = LimitSettings(Limit.record)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
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
        // A lane, a worker of each kind, a background job, and a lane that asks for partitions may each want a connection.
        host.postgres.maxConnections =
            lanes + readers + Self.adminWorkers + Self.internalWorkers + ZoneWriting.workers + ZoneFinding.workers
            + SchemaLearning.workers + Maintenance.connections + 1
    }

    /// The database as queries see it: with connections of their own, which give up after a while.
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
