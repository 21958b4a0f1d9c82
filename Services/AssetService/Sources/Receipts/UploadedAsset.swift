internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages
internal import SignedTokens

/// An asset that is kept at least until its receipt expires.
struct UploadedAsset: Sendable {
    let content: IncomingAsset.Content
    let receipt: String

    /// The asset of a blob, with a receipt for the records of `scope`.
    ///
    /// - Parameter expiresAt: until when the blob is kept, milliseconds since 1970.
    init(content: IncomingAsset.Content, blob: BlobID, scope: AssetScope, expiresAt: Int64, keys: SigningKeys) {
        self.content = content
        receipt = AssetReceipt(
            blob: blob.rawValue, checksum: content.checksum, size: content.size, scope: scope, expiresAt: expiresAt
        ).sealed(with: keys)
    }

    /// `singleFile`: what the client puts into the record (web-services 7.2).
    func write(to writer: inout WireWriter) {
        writer.key("singleFile")
        writer.asset(dictionary)
    }

    /// The value of a field in a save.
    var dictionary: Asset {
        let checksum = content.checksum
        return Asset(
            fileChecksum: checksum.fileChecksum, size: content.size, receipt: receipt,
            referenceChecksum: checksum.referenceChecksum, wrappingKey: checksum.wrappingKey)
    }
}
