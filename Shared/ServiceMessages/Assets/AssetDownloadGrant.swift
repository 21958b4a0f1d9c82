package import SignedTokens

/// The right to download one asset for a limited time. In sealed form, it is the second-to-last path component of a
/// `downloadURL`.
package struct AssetDownloadGrant: Sendable, Equatable {
    /// The database of the record that refers to the asset.
    package var scope: AssetScope
    /// The checksum of the asset's bytes.
    package var checksum: AssetChecksum
    /// The expiry, in milliseconds since 1970. A download that began before the expiry may finish after it.
    package var expiresAt: Int64

    private static let kind: UInt16 = 0x0203

    /// Creates a grant from its parts.
    package init(scope: AssetScope, checksum: AssetChecksum, expiresAt: Int64) {
        self.scope = scope
        self.checksum = checksum
        self.expiresAt = expiresAt
    }

    /// Returns the grant, sealed as a path component of a URL. `keys` must be the keys for
    /// ``SigningKeys/Purpose/assetDownload``.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        scope.write(to: &writer)
        writer.append(raw: checksum.bytes)
        writer.append(expiresAt)
        return SealedToken.sealForURL(writer.bytes, with: keys)
    }

    /// Opens a grant that was sealed by ``sealed(with:)``; returns nil if it is forged or damaged. The caller must
    /// check whether it has expired.
    package init?(opening grant: some StringProtocol, with keys: SigningKeys) {
        guard let payload = SealedToken.openFromURL(grant, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let scope = AssetScope(&reader),
            let checksum = reader.readRaw(AssetChecksum.length).flatMap(AssetChecksum.init(bytes:)),
            let expiresAt: Int64 = reader.read(), reader.isAtEnd
        else { return nil }
        self.init(scope: scope, checksum: checksum, expiresAt: expiresAt)
    }
}
