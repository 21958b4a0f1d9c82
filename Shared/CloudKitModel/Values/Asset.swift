/// A field's pointer to uploaded bytes. The reply to an upload and the save that follows contain a receipt; a fetched
/// record contains a download URL.
package struct Asset: Hashable, Sendable {
    /// The content's checksum, opaque to clients.
    package var fileChecksum: String?
    /// The content's size in bytes.
    package var size: Int64?
    /// The signed proof of the upload. Only in requests; never stored with the record.
    package var receipt: String?
    /// A second checksum, which private databases return unchanged.
    package var referenceChecksum: String?
    /// Key material, which private databases return unchanged.
    package var wrappingKey: String?
    /// The URL for downloading the bytes, valid for a limited time. Only in replies; never stored.
    package var downloadURL: String?
    /// The id of the content's row in the asset service's database. Only in storage; never in requests or replies.
    package var blob: Int64?

    /// Creates an asset value.
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
