package import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// What ``AssetSettings`` and `HostSettings` say.
package struct AssetServiceConfiguration: HostedConfiguration {
    /// Broker, database, health.
    package var host: HostConfiguration
    /// Where the blobs are.
    package var store: BlobStoreConfiguration
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
    package static let settings =
        HostSettings().all + ownSettings.declared + s3Settings.declared + limitSettings.declared
    private static let ownSettings = AssetSettings()
    private static let s3Settings = S3Settings()
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
        httpHost = values[own.httpHost]
        httpPort = values[own.httpPort]
        publicURL = values[own.publicURL] ?? "http://127.0.0.1:\(httpPort)"
        maxAssetBytes = Int64(values[own.maxBytes])
        store = try Self.store(values, maxAssetBytes: maxAssetBytes)
        limits = Self.limitSettings.limits(values)
        uploadLife = values[own.uploadLife]
        receiptLife = values[own.receiptLife]
        grace = values[own.grace]
        sweepInterval = values[own.sweep]
        recordRole = values[own.recordRole]
        uploadKeys = try host.keys(for: .assetUpload)
        receiptKeys = try host.keys(for: .assetReceipt)
        downloadKeys = try host.keys(for: .assetDownload)
    }

    /// A bucket, when one is named: images set a folder.
    private static func store(
        _ values: SettingValues, maxAssetBytes: Int64
    ) throws(SettingError) -> BlobStoreConfiguration {
        if var bucket = try s3Settings.configuration(values) {
            bucket.makeRoom(for: maxAssetBytes)
            return .s3(bucket)
        }
        guard let directory = values[ownSettings.directory] else {
            let variables = (ownSettings.directory.name.variable, s3Settings.bucket.name.variable)
            throw SettingError(variables.0, "or \(variables.1) must be set")
        }
        return .directory(directory)
    }
}
