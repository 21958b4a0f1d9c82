package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The settings of the record service, beside those of ``HostConfiguration``.
///
/// | variable | type, default | meaning |
/// | --- | --- | --- |
/// | `ZONDA_CREATE_CONTAINERS` | flag, `false` | whether a container is made on first use |
/// | `ZONDA_RECORD_LANES` | 1…64, 4 | write transactions at once |
/// | `ZONDA_RECORD_READERS` | 1…64, 4 | reads at once |
/// | `ZONDA_RECORD_PREFETCH` | 1…10000, 1000 | write requests held at once |
/// | `ZONDA_RECORD_HELD_BYTES` | bytes, 16 MiB | bodies of write requests held at once |
/// | `ZONDA_ASSET_URL` | URL, none | the asset service's public address; without it records come without `downloadURL` |
/// | `ZONDA_ASSET_DOWNLOAD_LIFE` | time up to a week, `1h` | how long a `downloadURL` is good |
/// | `ZONDA_LIMIT_OPERATIONS` | 1…10000, 2000 | operations of a request |
/// | `ZONDA_LIMIT_BODY_BYTES` | bytes, 16 MiB | a request's body |
/// | `ZONDA_LIMIT_RECORD_BYTES` | bytes, 1 MiB | a record without its assets |
/// | `ZONDA_LIMIT_RESULTS` | 1…5000, 1000 | records of a page, whatever the request says |
/// | `ZONDA_LIMIT_DEFAULT_RESULTS` | 1…5000, 200 | records of a page, when the request does not say |
/// | `ZONDA_FAULTS` | flag, `false` | tests only: see `FaultSwitch` |
package struct RecordServiceConfiguration: Sendable {
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
    /// Write requests held at once.
    package var prefetch: Int
    /// Bytes of write requests held at once.
    package var heldBytes: Int
    /// Whether messages may ask for failures.
    package var faults: Bool
    /// What requests may ask for.
    package var limits = Limits()

    /// Operations of one write transaction, at most (a single request may have more).
    package static let maxBatchOperations = 256
    /// Bytes of bodies of one write transaction, at most (a single request may have more).
    package static let maxBatchBytes = 1 << 20

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        host = try HostConfiguration(settings, name: "zonda-record", healthPort: 8101)
        keys = try host.keys(for: .syncToken)
        receiptKeys = try host.keys(for: .assetReceipt)
        downloads = try Self.downloads(settings, host)
        createsContainers = try settings.flag("ZONDA_CREATE_CONTAINERS", default: false)
        lanes = try settings.integer("ZONDA_RECORD_LANES", default: 4, in: 1...64)
        readers = try settings.integer("ZONDA_RECORD_READERS", default: 4, in: 1...64)
        prefetch = try settings.integer("ZONDA_RECORD_PREFETCH", default: 1000, in: 1...10_000)
        heldBytes = try settings.integer("ZONDA_RECORD_HELD_BYTES", default: 16 << 20, in: 1 << 16...1 << 30)
        faults = try settings.flag("ZONDA_FAULTS", default: false)
        limits.maxOperationsPerRequest = try settings.integer(
            "ZONDA_LIMIT_OPERATIONS", default: limits.maxOperationsPerRequest, in: 1...10_000)
        limits.maxBodyBytes = try settings.integer(
            "ZONDA_LIMIT_BODY_BYTES", default: limits.maxBodyBytes, in: 1024...64 << 20)
        limits.maxRecordBytes = try settings.integer(
            "ZONDA_LIMIT_RECORD_BYTES", default: limits.maxRecordBytes, in: 1024...16 << 20)
        limits.defaultResults = try settings.integer(
            "ZONDA_LIMIT_DEFAULT_RESULTS", default: limits.defaultResults, in: 1...5000)
        limits.maxResults = try settings.integer("ZONDA_LIMIT_RESULTS", default: limits.maxResults, in: 1...5000)
        // A lane, a reader, the two zone writers and the maintenance may each want a connection.
        host.postgres.maxConnections = lanes + readers + 4
    }

    private static func downloads(_ settings: ServiceSettings, _ host: HostConfiguration) throws(SettingError)
        -> AssetDownloads?
    {
        let life = try settings.duration(
            "ZONDA_ASSET_DOWNLOAD_LIFE", default: .seconds(3600), in: .seconds(1)...(.seconds(604_800)))
        guard let url = try settings.url("ZONDA_ASSET_URL") else { return nil }
        return AssetDownloads(
            base: url, keys: try host.keys(for: .assetDownload),
            life: life)
    }
}
