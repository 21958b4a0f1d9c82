internal import AssetStorage
internal import CloudKitModel
internal import ServiceMessages

/// The content that a client has announced: with `assets.upload`, in its headers, or when it began a resumable upload.
struct ExpectedContent: Sendable {
    /// The field that errors name.
    let field: String
    /// The announced size in bytes; nil if none was announced.
    var length: Int64?
    /// The content that the token of `assets.upload` announced; nil if any content is accepted.
    var ticketed: AssetContent?
    /// The checksum in the `Repr-Digest` header; nil if there is none.
    var digest: AssetChecksum?

    /// Compares the announced content with the content that arrived.
    ///
    /// - Throws: `upload_length_mismatch`, `checksum_mismatch`.
    func check(_ content: AssetContent) throws(ServerError) {
        guard length ?? content.size == content.size else { throw .uploadLengthMismatch(field: field) }
        guard ticketed ?? content == content else { throw .checksumMismatch("assets.upload", field: field) }
        guard digest ?? content.checksum == content.checksum else {
            throw .checksumMismatch("Repr-Digest", field: field)
        }
    }
}
