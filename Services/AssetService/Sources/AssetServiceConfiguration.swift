package import AssetStorage
package import BlobStorage
package import CloudKitModel
package import HTTPServing
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The configuration of the asset service.
package struct AssetServiceConfiguration: HostedConfiguration {
    /// The broker, the database and the health server.
    package var host: HostConfiguration
    /// The store that contains the blobs.
    package var store: BlobStoreConfiguration
    /// The address on which uploads and downloads are served.
    package var httpHost: String
    /// The port on which uploads and downloads are served.
    package var httpPort: Int
    /// The public address of uploads and downloads, without a trailing slash.
    package var publicURL: String
    /// The maximum size of an asset, in bytes.
    package var maxAssetBytes: Int64
    /// The limits on requests.
    package var limits: Limits
    /// How long an upload URL is valid.
    package var uploadLife: Duration
    /// How long an interrupted upload can be resumed.
    package var resumeLife: Duration
    /// The maximum number of uploads that can wait to be resumed.
    package var maxResumable: Int
    /// The maximum number of uploads to one database that can wait to be resumed.
    package var maxResumablePerUser: Int
    /// The limits on connections.
    package var connections: ConnectionSettings.Values
    /// How long a receipt is valid.
    package var receiptLife: Duration
    /// The time from when a blob is condemned until it is deleted.
    package var grace: Duration
    /// The time between sweeps.
    package var sweepInterval: Duration
    /// The maximum number of blobs or files in each part of a sweep.
    package var sweepLimit: Int
    /// The maximum percentage of files without a row. If it is exceeded, none of these files is removed.
    package var maxStrayPercent: Int
    /// The master keys of blobs; nil if encryption is disabled.
    package var encryptionKeys: EncryptionKeys?
    /// The rate, in bytes per second, at which stored blobs are encrypted after the first master key has changed.
    package var encryptionRate: Int
    /// The quotas of containers that have no quotas of their own.
    package var quota: Quota
    /// The rate at which stored bytes are verified, in bytes per second; 0 for no verification.
    package var scrubRate: Int
    /// The time between verifications of a blob.
    package var scrubInterval: Duration
    /// The record service's database role, which is allowed to refer to blobs; nil if it is the same as this service's
    /// role.
    package var recordRole: String?
    /// The signing keys for upload URLs.
    package var uploadKeys: SigningKeys
    /// The signing keys for receipts.
    package var receiptKeys: SigningKeys
    /// The keys for download URLs, which the record service signs.
    package var downloadKeys: SigningKeys

    /// All settings of the service.
    package static let settings =
        HostSettings().all + ownSettings.declared + connectionSettings.declared + s3Settings.declared
        + limitSettings.declared
    private static let ownSettings = AssetSettings()
    // Each connection can occupy a megabyte of memory.
    private static let connectionSettings = ConnectionSettings(default: 256, in: 1...10_000, perAddress: 64)
    private static let s3Settings = S3Settings()
    private static let limitSettings = LimitSettings(Limit.asset)

    /// Reads and checks the settings.
    ///
    /// - Throws: a ``SettingError`` that names all invalid settings.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-asset", healthPort: values[own.healthPort])
        // Enough for the workers, the two deletion tasks, the inventory, the scrub, and the sweep and the encryption,
        // each of which needs a second connection for its lock. Uploads share these connections.
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

    /// A bucket takes precedence over a directory, because container images set a directory.
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
