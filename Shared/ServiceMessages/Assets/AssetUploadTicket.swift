package import SignedTokens

/// The right to upload one file: the last part of the URL that `assets.upload` gives.
package struct AssetUploadTicket: Sendable, Equatable {
    /// The database that the receipt will be good for.
    package var scope: AssetScope
    /// The field that the file is for; errors name it.
    package var fieldName: String
    /// Milliseconds since 1970; an upload that began before may end after.
    package var expiresAt: Int64
    /// What the file must turn out to be; nil: anything.
    package var content: Content?

    /// A file by its checksum and size.
    package struct Content: Sendable, Hashable {
        /// The bytes' checksum.
        package var checksum: AssetChecksum
        /// How many there are.
        package var size: Int64

        /// A file of those bytes.
        package init(checksum: AssetChecksum, size: Int64) {
            self.checksum = checksum
            self.size = size
        }
    }

    private static let kind: UInt16 = 0x0202

    /// A ticket of those parts.
    package init(scope: AssetScope, fieldName: String, expiresAt: Int64, content: Content? = nil) {
        self.scope = scope
        self.fieldName = fieldName
        self.expiresAt = expiresAt
        self.content = content
    }

    /// The ticket as a part of a URL. `keys` are those of ``SigningKeys/Purpose/assetUpload``.
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

    /// Reads what ``sealed(with:)`` made; nil when it is forged or damaged. Whether it has expired is for the caller
    /// to look at.
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
