package import SignedTokens

/// The right to upload one file. In sealed form, it is the last path component of the URL that `assets.upload` returns.
package struct AssetUploadTicket: Sendable, Equatable {
    /// The database in which the receipt will be valid.
    package var scope: AssetScope
    /// The field for which the file is intended. Errors name this field.
    package var fieldName: String
    /// The expiry, in milliseconds since 1970. An upload that began before the expiry may finish after it.
    package var expiresAt: Int64
    /// The content that the file must have; nil if any file is accepted.
    package var content: Content?

    /// The content of a file, identified by checksum and size.
    package struct Content: Sendable, Hashable {
        /// The checksum of the file's bytes.
        package var checksum: AssetChecksum
        /// The size of the file, in bytes.
        package var size: Int64

        /// Creates the content of a file.
        package init(checksum: AssetChecksum, size: Int64) {
            self.checksum = checksum
            self.size = size
        }
    }

    private static let kind: UInt16 = 0x0202

    /// Creates a ticket from its parts.
    package init(scope: AssetScope, fieldName: String, expiresAt: Int64, content: Content? = nil) {
        self.scope = scope
        self.fieldName = fieldName
        self.expiresAt = expiresAt
        self.content = content
    }

    /// Returns the ticket, sealed as a path component of a URL. `keys` must be the keys for
    /// ``SigningKeys/Purpose/assetUpload``.
    package func sealed(with keys: SigningKeys) -> String {
        var writer = BinaryWriter()
        writer.append(Self.kind)
        scope.write(to: &writer)
        writer.append(fieldName)
        writer.append(expiresAt)
        if let content {
            writer.append(raw: content.checksum.bytes)
            writer.append(content.size)
        }
        return SealedToken.sealForURL(writer.bytes, with: keys)
    }

    /// Opens a ticket that was sealed by ``sealed(with:)``; nil if it is forged or damaged. The caller must check
    /// whether it has expired.
    package init?(opening ticket: some StringProtocol, with keys: SigningKeys) {
        guard let payload = SealedToken.openFromURL(ticket, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt16.self) == Self.kind, let scope = AssetScope(&reader),
            let fieldName = reader.readText(), let expiresAt: Int64 = reader.read()
        else { return nil }
        var content: Content?
        if !reader.isAtEnd {
            guard let checksum = reader.readRaw(AssetChecksum.length).flatMap(AssetChecksum.init(bytes:)),
                let size: Int64 = reader.read(), reader.isAtEnd
            else { return nil }
            content = Content(checksum: checksum, size: size)
        }
        self.init(scope: scope, fieldName: fieldName, expiresAt: expiresAt, content: content)
    }
}
