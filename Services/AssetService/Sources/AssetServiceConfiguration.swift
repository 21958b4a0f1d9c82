package import CloudKitModel
package import HTTPServing
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
    /// How long an interrupted upload waits to be resumed.
    package var resumeLife: Duration
    /// How many may wait.
    package var maxResumable: Int
    /// How many of them to one database.
    package var maxResumablePerUser: Int
    /// Uploads and downloads at once, and how they may move.
    package var connections: ConnectionSettings.Values
    /// How long a receipt is good.
    package var receiptLife: Duration
    /// How long condemned content is kept.
    package var grace: Duration
    /// Between two sweeps.
    package var sweepInterval: Duration
    /// Blobs and files that each part of a sweep looks at.
    package var sweepLimit: Int
    /// Past this share of the blobs, in percent, no file without a row is removed.
    package var maxStrayPercent: Int
    /// Encrypt blobs; nil: they are stored as they are.
    package var encryptionKeys: EncryptionKeys?
    /// How fast stored blobs are encrypted anew when the first key has changed, bytes per second.
    package var encryptionRate: Int
    /// What may be held, unless a container has quotas of its own.
    var quota: Quota
    /// How fast stored bytes are verified, bytes per second; 0: not at all.
    package var scrubRate: Int
    /// How often each blob is verified.
    package var scrubInterval: Duration
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
        HostSettings().all + ownSettings.declared + connectionSettings.declared + s3Settings.declared
        + limitSettings.declared
    private static let ownSettings = AssetSettings()
    // Each may hold a megabyte of what it sends or reads.
    private static let connectionSettings = ConnectionSettings(default: 256, in: 1...10_000, perAddress: 64)
    private static let s3Settings = S3Settings()
    private static let limitSettings = LimitSettings(Limit.asset)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-asset", healthPort: values[own.healthPort])
        // The workers, the two tasks of the deletion, the sweep and the encryption with a lock each, the count of the
        // stock, the scrub; uploads take turns with them.
        host.postgres.maxConnections = AssetServiceParts.workers + 8
        httpHost = values[own.httpHost]
        httpPort = values[own.httpPort]
        publicURL = values[own.publicURL] ?? "http://127.0.0.1:\(httpPort)"
        maxAssetBytes = Int64(values[own.maxBytes])
        store = try Self.store(values, maxAssetBytes: maxAssetBytes)
        limits = Self.limitSettings.limits(values)
        uploadLife = values[own.uploadLife]
        resumeLife = values[own.resumeLife]
        maxResumable = values[own.maxResumable]
        maxResumablePerUser = values[own.maxResumablePerUser]
        connections = Self.connectionSettings.read(values)
        receiptLife = values[own.receiptLife]
        grace = values[own.grace]
        sweepInterval = values[own.sweep]
        sweepLimit = values[own.sweepLimit]
        maxStrayPercent = values[own.maxStrayPercent]
        encryptionKeys = try values[own.encryptionKeysFile].map { text throws(SettingError) in
            do {
                return try EncryptionKeys(parsing: text.text)
            } catch {
                throw SettingError(own.encryptionKeysFile.name.variable, "\(error)")
            }
        }
        encryptionRate = values[own.encryptionRate]
        quota = Quota(
            containerBytes: values[own.containerQuota].map(Int64.init), userBytes: values[own.userQuota].map(Int64.init)
        )
        scrubRate = values[own.scrubRate]
        scrubInterval = values[own.scrubInterval]
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
        return .directory(directory, minFreeBytes: Int64(values[ownSettings.minFree]))
    }
}
