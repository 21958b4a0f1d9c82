package import CloudKitModel
internal import RequestServing
package import ServiceMessages
package import SignedTokens

/// Where fetched assets come from: signed addresses at the asset service that end by themselves.
package struct AssetDownloads: Sendable {
    private let base: String
    private let keys: SigningKeys
    private let lifeMilliseconds: Int64

    /// Addresses under `base`, which has no slash at its end, signed with the keys of
    /// ``SigningKeys/Purpose/assetDownload`` and good for `life`.
    package init(base: String, keys: SigningKeys, life: Duration) {
        self.base = base
        self.keys = keys
        lifeMilliseconds = life.components.seconds * 1000
    }

    /// A new address of `asset`, for a record in `scope`; nil when what is stored has no checksum.
    package func url(of asset: Asset, in scope: AssetScope) -> String? {
        asset.fileChecksum.flatMap { AssetChecksum($0) }.map { checksum in
            let grant = AssetDownloadGrant(
                scope: scope, checksum: checksum, expiresAt: SystemClock.milliseconds() + lifeMilliseconds)
            return AssetURL.download(base: base, grant: grant.sealed(with: keys))
        }
    }
}
