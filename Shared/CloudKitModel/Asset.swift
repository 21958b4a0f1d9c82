/// A field's pointer to uploaded bytes. Which keys are there depends on the direction: an upload's answer and the
/// save that follows have a receipt, a fetched record has an address.
package struct Asset: Hashable, Sendable {
    /// The content's checksum, opaque to clients.
    package var fileChecksum: String?
    /// The content's size in bytes.
    package var size: Int64?
    /// The signed proof of the upload; only on the way in, never stored with the record.
    package var receipt: String?
    /// A second checksum that private databases echo.
    package var referenceChecksum: String?
    /// Key material that private databases echo.
    package var wrappingKey: String?
    /// Where the bytes can be fetched for a while; only on the way out, never stored.
    package var downloadURL: String?
    /// The row of the content at the asset service; only in storage, never in or out.
    package var blob: Int64?

    /// An asset value.
    package init(
        fileChecksum: String? = nil, size: Int64? = nil, receipt: String? = nil, referenceChecksum: String? = nil,
        wrappingKey: String? = nil, downloadURL: String? = nil, blob: Int64? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
        self.referenceChecksum = referenceChecksum
        self.wrappingKey = wrappingKey
        self.downloadURL = downloadURL
        self.blob = blob
    }
}
