package import SignedTokens

/// The right to fetch one asset for a while: the last part but one of a `downloadURL`.
package struct AssetDownloadGrant: Sendable, Equatable {
    /// The database of the record that names it.
    package var scope: AssetScope
    /// The bytes' checksum.
    package var checksum: AssetChecksum
    /// Milliseconds since 1970; a download that began before may end after.
    package var expiresAt: Int64

    private static let kind: UInt16 = 0x0203

    /// A grant of those parts.
    package init(scope: AssetScope, checksum: AssetChecksum, expiresAt: Int64) {
        self.scope = scope
        self.checksum = checksum
        self.expiresAt = expiresAt
    }

    /// The grant as a part of a URL. `keys` are those of ``SigningKeys/Purpose/assetDownload``.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        scope.write(to: &writer)
        writer.append(raw: checksum.bytes)
        writer.append(expiresAt)
        return SealedToken.sealForURL(writer.bytes, with: keys)
    }

    /// Reads what ``sealed(with:)`` made; nil when it is forged or damaged. Whether it has expired is for the caller
    /// to look at.
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
