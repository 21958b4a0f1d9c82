package import SignedTokens

/// The proof of an upload. A record can be saved with the asset only if the request contains this proof
/// (`deploy/docs/messages.md`, Assets). A receipt is valid for any number of saves in its database until it expires;
/// the blob is kept at least until then. A receipt issued to a share's participant is valid only for that participant
/// and for one zone.
package struct AssetReceipt: Sendable, Equatable {
    /// The blob's number, `asset.blob.id`, which is stored in records that refer to the asset.
    package var blob: Int64
    /// The checksum of the asset's bytes.
    package var checksum: AssetChecksum
    /// The size of the asset, in bytes.
    package var size: Int64
    /// The database whose records may refer to the asset and, if a participant uploaded it, the participant who may
    /// save those records.
    package var scope: AssetScope
    /// The expiry time, in milliseconds since 1970.
    package var expiresAt: Int64

    private static let kind: UInt16 = 0x0201

    /// Creates a receipt from its parts.
    package init(blob: Int64, checksum: AssetChecksum, size: Int64, scope: AssetScope, expiresAt: Int64) {
        self.blob = blob
        self.checksum = checksum
        self.size = size
        self.scope = scope
        self.expiresAt = expiresAt
    }

    /// Returns the receipt, sealed in the form that clients receive. `keys` must be the keys for
    /// ``SigningKeys/Purpose/assetReceipt``.
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

    /// Opens a receipt that was sealed by ``sealed(with:)``; returns nil if it is forged or damaged. The caller must
    /// check whether it has expired and whether it is for the right database.
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
