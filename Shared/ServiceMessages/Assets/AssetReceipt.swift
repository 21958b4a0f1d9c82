package import SignedTokens

/// The proof that bytes were uploaded: what a record's save must bring (DESIGN 5). Good for any number of saves in its
/// database until it expires; the blob is kept at least until then.
package struct AssetReceipt: Sendable, Equatable {
    /// `asset.blob.id`, which the record's use refers to.
    package var blob: Int64
    /// The bytes' checksum.
    package var checksum: AssetChecksum
    /// How many there are.
    package var size: Int64
    /// The database whose records may name it.
    package var scope: AssetScope
    /// Milliseconds since 1970.
    package var expiresAt: Int64

    private static let kind: UInt16 = 0x0201

    /// A receipt of those parts.
    package init(blob: Int64, checksum: AssetChecksum, size: Int64, scope: AssetScope, expiresAt: Int64) {
        self.blob = blob
        self.checksum = checksum
        self.size = size
        self.scope = scope
        self.expiresAt = expiresAt
    }

    /// The receipt as clients see it. `keys` are those of ``SigningKeys/Purpose/assetReceipt``.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        writer.append(blob)
        writer.append(raw: checksum.bytes)
        writer.append(size)
        scope.write(to: &writer)
        writer.append(expiresAt)
        return SealedToken.seal(writer.bytes, with: keys)
    }

    /// Reads what ``sealed(with:)`` made; nil when it is forged or damaged. Whether it has expired, and whether it is
    /// of the right database, is for the caller to look at.
    package init?(opening receipt: String, with keys: SigningKeys) {
        guard let payload = SealedToken.open(receipt, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let blob: Int64 = reader.read(),
            let checksum = reader.readRaw(AssetChecksum.length).flatMap(AssetChecksum.init(bytes:)),
            let size: Int64 = reader.read(), let scope = AssetScope(&reader), let expiresAt: Int64 = reader.read(),
            reader.isAtEnd
        else { return nil }
        self.init(blob: blob, checksum: checksum, size: size, scope: scope, expiresAt: expiresAt)
    }
}
