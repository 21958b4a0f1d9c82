internal import CloudKitModel
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The settings of the asset service, beside those of ``HostConfiguration``. Times are written `90s`, `5m`, `1h`, `7d`.
///
/// | variable | type, default | meaning |
/// | --- | --- | --- |
/// | `ZONDA_ASSET_DIRECTORY` | path, required | the folder of the blobs; several instances need a shared volume |
/// | `ZONDA_HTTP_HOST` | address, `127.0.0.1` | where uploads and downloads are served |
/// | `ZONDA_HTTP_PORT` | 1…65535, 8202 | |
/// | `ZONDA_ASSET_URL` | URL, `http://127.0.0.1:<port>` | how clients reach that: the beginning of upload URLs |
/// | `ZONDA_ASSET_MAX_BYTES` | bytes, 250 MiB | an asset |
/// | `ZONDA_ASSET_UPLOAD_LIFE` | 1s…365d, `1h` | how long an upload URL is good |
/// | `ZONDA_ASSET_RECEIPT_LIFE` | 1s…365d, `24h` | how long a receipt is good: until then unused bytes are safe |
/// | `ZONDA_ASSET_GRACE` | 1s…49d, `7d` | between the last use's end and the deletion (the broker's timers end at 49 days) |
/// | `ZONDA_ASSET_SWEEP` | 1s…1d, `10m` | between two sweeps |
package struct AssetServiceConfiguration: Sendable {
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

    private static let year = Duration.seconds(365 * 86_400)

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        host = try HostConfiguration(settings, name: "zonda-asset", healthPort: 8102)
        // The workers, the two tasks of the deletion, the sweep and its lock; uploads take turns with them.
        host.postgres.maxConnections = AssetServiceParts.workers + 4
        directory = try settings.requiredText("ZONDA_ASSET_DIRECTORY")
        httpHost = settings.text("ZONDA_HTTP_HOST") ?? "127.0.0.1"
        httpPort = try settings.integer("ZONDA_HTTP_PORT", default: 8202, in: 1...65_535)
        publicURL = try settings.url("ZONDA_ASSET_URL") ?? "http://127.0.0.1:\(httpPort)"
        maxAssetBytes = Int64(
            try settings.integer("ZONDA_ASSET_MAX_BYTES", default: Limits().maxAssetBytes, in: 1...1 << 40))
        uploadLife = try settings.duration(
            "ZONDA_ASSET_UPLOAD_LIFE", default: .seconds(3600), in: .seconds(1)...Self.year)
        receiptLife = try settings.duration(
            "ZONDA_ASSET_RECEIPT_LIFE", default: .seconds(86_400), in: .seconds(1)...Self.year)
        grace = try settings.duration(
            "ZONDA_ASSET_GRACE", default: .seconds(7 * 86_400), in: .seconds(1)...(.seconds(49 * 86_400)))
        sweepInterval = try settings.duration(
            "ZONDA_ASSET_SWEEP", default: .seconds(600), in: .seconds(1)...(.seconds(86_400)))
        recordRole = try Self.recordRole(settings)
        uploadKeys = try host.keys(for: .assetUpload)
        receiptKeys = try host.keys(for: .assetReceipt)
        downloadKeys = try host.keys(for: .assetDownload)
    }

    /// The record service's database role, for `migrate`.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package static func recordRole(_ settings: ServiceSettings) throws(SettingError) -> String? {
        settings.text("ZONDA_RECORD_ROLE")
    }
}
