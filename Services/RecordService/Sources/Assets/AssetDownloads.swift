package import CloudKitModel
internal import RequestServing
package import ServiceMessages
package import SignedTokens

/// Issues download URLs for the assets that answers contain. The URLs point to the asset service, are signed, and
/// expire.
package struct AssetDownloads: Sendable {
    private let base: String
    private let keys: SigningKeys
    private let lifeMilliseconds: Int64

    /// Creates an issuer of URLs that begin with `base`, which must not end with a slash. The URLs are signed with the
    /// keys for ``SigningKeys/Purpose/assetDownload`` and are valid for `life`.
    package init(base: String, keys: SigningKeys, life: Duration) {
        self.base = base
        self.keys = keys
        lifeMilliseconds = life.components.seconds * 1000
    }

    /// Returns a new download URL for `asset`, an asset of a record in `scope`; nil if the stored asset has no
    /// checksum.
    package func url(of asset: Asset, in scope: AssetScope) -> String? {
        asset.fileChecksum.flatMap { AssetChecksum($0) }.map { checksum in
            let grant = AssetDownloadGrant(
                scope: scope, checksum: checksum, expiresAt: SystemClock.milliseconds() + lifeMilliseconds)
            return AssetURL.download(base: base, grant: grant.sealed(with: keys))
        }
    }
}
