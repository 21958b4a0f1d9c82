internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages
internal import SignedTokens

/// A stored asset and its receipt. The asset is kept at least until the receipt expires.
struct UploadedAsset: Sendable {
    let content: AssetContent
    let receipt: String

    /// Creates the asset of a blob, with a receipt for the records of `scope`.
    ///
    /// - Parameter expiresAt: the time until which the blob is kept, in milliseconds since 1970.
    init(content: AssetContent, blob: BlobID, scope: AssetScope, expiresAt: Int64, keys: SigningKeys) {
        self.content = content
        receipt = AssetReceipt(
            blob: blob.rawValue, checksum: content.checksum, size: content.size, scope: scope, expiresAt: expiresAt
        ).sealed(with: keys)
    }

    /// Writes `singleFile`, the value that the client saves in the record (web-services 7.2).
    func write(to writer: inout WireWriter) {
        writer.key("singleFile")
        writer.asset(dictionary)
    }

    /// The value for a record's field.
    var dictionary: Asset {
        let checksum = content.checksum
        return Asset(
            fileChecksum: checksum.fileChecksum, size: content.size, receipt: receipt,
            referenceChecksum: checksum.referenceChecksum, wrappingKey: checksum.wrappingKey)
    }
}
