package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// What ``AssetSettings`` and `HostSettings` say.
package struct AssetServiceConfiguration: HostedConfiguration {
    /// Broker, database, health.
    package var host: HostConfiguration
    /// The folder of the blobs.
    package var directory: String
    /// Where uploads and downloads are served.
    package var httpHost: String
    /// The port of it.
    package var httpPort: Int
    /// The public address, without a slash at the end.
    package var publicURL: String
    /// The largest asset, bytes.
    package var maxAssetBytes: Int64
    /// What requests may ask for.
    package var limits: Limits
    /// How long an upload URL is good.
    package var uploadLife: Duration
    /// How long an interrupted upload waits to be resumed.
    package var resumeLife: Duration
    /// How many may wait.
    package var maxResumable: Int
    /// Uploads and downloads at once.
    package var maxConnections: Int
    /// A connection on which nothing moves for so long is closed.
    package var stallLimit: Duration
    /// The least pace of an upload, bytes a second.
    package var minRate: Int
    /// How long a receipt is good.
    package var receiptLife: Duration
    /// How long condemned content is kept.
    package var grace: Duration
    /// Between two sweeps.
    package var sweepInterval: Duration
    /// The record service's database role, which may refer to blobs; nil: it has ours.
    package var recordRole: String?
    /// Signs upload URLs.
    package var uploadKeys: SigningKeys
    /// Signs receipts.
    package var receiptKeys: SigningKeys
    /// Verifies download URLs, which the record service signs.
    package var downloadKeys: SigningKeys

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared + limitSettings.declared
    private static let ownSettings = AssetSettings()
    private static let limitSettings = LimitSettings(Limit.asset)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-asset", healthPort: values[own.healthPort])
        // The workers, the two tasks of the deletion, the sweep and its lock, the count of the stock; uploads take turns
        // with them.
        host.postgres.maxConnections = AssetServiceParts.workers + 5
        directory = values[own.directory]
        httpHost = values[own.httpHost]
        httpPort = values[own.httpPort]
        publicURL = values[own.publicURL] ?? "http://127.0.0.1:\(httpPort)"
        maxAssetBytes = Int64(values[own.maxBytes])
        limits = Self.limitSettings.limits(values)
        uploadLife = values[own.uploadLife]
        resumeLife = values[own.resumeLife]
        maxResumable = values[own.maxResumable]
        maxConnections = values[own.maxConnections]
        stallLimit = values[own.stallLimit]
        minRate = values[own.minRate]
        receiptLife = values[own.receiptLife]
        grace = values[own.grace]
        sweepInterval = values[own.sweep]
        recordRole = values[own.recordRole]
        uploadKeys = try host.keys(for: .assetUpload)
        receiptKeys = try host.keys(for: .assetReceipt)
        downloadKeys = try host.keys(for: .assetDownload)
    }
}
