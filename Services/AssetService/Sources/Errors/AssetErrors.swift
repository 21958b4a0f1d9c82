internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import HTTPTypes

/// The errors of the asset service. In errors about an upload, `field` names the record's field; in errors about a URL,
/// it is `url`.
extension ServerError {
    /// An asset exceeds the maximum size. Over HTTP, the status is 413.
    static func assetTooLarge(limit: Int64, actual: Int64, field: String?) -> ServerError {
        ServerError(
            .assetTooLarge, "asset too large: \(actual) bytes; the limit is \(limit)", field: field, limit: Int(limit),
            actual: Int(actual))
    }

    /// An upload exceeds the quota of the container or of the user. The error does not tell a participant the owner's
    /// quota and usage.
    static func assetQuotaExceeded(_ exceeded: QuotaExceeded, ofAnotherUser: Bool, field: String?) -> ServerError {
        guard !ofAnotherUser else {
            return ServerError(
                .assetQuotaExceeded, "This upload would exceed the asset quota of the zone's owner", field: field)
        }
        return ServerError(
            .assetQuotaExceeded,
            "The \(exceeded.subject.rawValue)'s asset quota is \(exceeded.limit) bytes; this upload would bring its usage to \(exceeded.actual)",
            field: field, limit: Int(exceeded.limit), actual: Int(exceeded.actual))
    }

    /// The file of the content is lost or damaged.
    static func assetDamaged() -> ServerError {
        ServerError(.assetDamaged, "The asset's bytes are lost or damaged", field: "url")
    }

    /// This server did not issue the upload URL.
    static func uploadURLInvalid() -> ServerError {
        ServerError(.uploadURLInvalid, "This server did not issue the upload URL", field: "url")
    }

    /// The upload URL has expired.
    static func uploadURLExpired(field: String) -> ServerError {
        ServerError(
            .uploadURLExpired, "The upload URL for field '\(field)' has expired; request a new one", field: field)
    }

    /// The connection ended before the end of the body.
    static func uploadIncomplete(field: String) -> ServerError {
        ServerError(.uploadIncomplete, "The upload for field '\(field)' was interrupted", field: field)
    }

    /// An upload header is missing or invalid. `meaning` completes the sentence that begins with the header's name.
    static func uploadHeaderInvalid(_ name: HTTPField.Name, _ meaning: String) -> ServerError {
        ServerError(
            .uploadHeaderInvalid, "The \(name.rawName) header \(meaning)", field: name.rawName.lowercased())
    }

    /// The resumable upload does not exist or has expired.
    static func uploadNotFound() -> ServerError {
        ServerError(
            .uploadNotFound, "Upload not found: it was cancelled or was not resumed in time", field: "url")
    }

    /// The request's offset differs from the upload's.
    static func uploadOffsetMismatch() -> ServerError {
        ServerError(
            .uploadOffsetMismatch, "The offset does not match the upload; continue at Upload-Offset",
            field: "upload-offset")
    }

    /// The upload's length differs from the announced length.
    static func uploadLengthMismatch(field: String) -> ServerError {
        ServerError(
            .uploadLengthMismatch, "The upload for field '\(field)' does not have the announced length", field: field)
    }

    /// The upload is in use by a request to another instance.
    static func uploadInUse() -> ServerError {
        ServerError(.uploadInUse, "Another request is sending data to this upload", field: "url")
    }

    /// The limit on waiting uploads has been reached.
    static func tooManyUploads(limit: Int) -> ServerError {
        ServerError(.tooManyUploads, "Too many uploads are waiting to be resumed", limit: limit)
    }

    /// The bytes do not have the checksum that `source` announced.
    static func checksumMismatch(_ source: String, field: String) -> ServerError {
        ServerError(
            .checksumMismatch, "The content for field '\(field)' does not match the checksum in \(source)", field: field
        )
    }

    /// This server did not issue the download URL.
    static func downloadURLInvalid() -> ServerError {
        ServerError(.downloadURLInvalid, "This server did not issue the download URL", field: "url")
    }

    /// The download URL has expired.
    static func downloadURLExpired() -> ServerError {
        ServerError(.downloadURLExpired, "The download URL has expired; fetch the record again", field: "url")
    }

    /// The content never existed or no longer exists.
    static func assetNotFound(field: String) -> ServerError {
        ServerError(.assetNotFound, "Asset not found", field: field)
    }

    /// A record refers to content whose bytes no longer exist.
    static func assetBytesMissing(field: String) -> ServerError {
        ServerError(
            .assetNotFound, "The content of the asset in field '\(field)' no longer exists", field: field)
    }

    /// A checksum has an unrecognized form.
    static func checksumInvalid(field: String) -> ServerError {
        ServerError(.checksumInvalid, "A checksum must be a fileChecksum or 64 hexadecimal digits", field: field)
    }

    /// The content exists, but its file cannot be found.
    static func assetNotAvailable() -> ServerError {
        ServerError(.assetNotAvailable, "The asset's bytes are temporarily unavailable", field: "url")
    }

    /// The store is full or failing.
    static func of(_ error: BlobStoreError) -> ServerError {
        error.isFull
            ? ServerError(.assetStoreFull, "The asset store is full")
            : ServerError(.assetStoreInTrouble, "The asset store is temporarily unavailable")
    }

    /// The service is stopping.
    static func serviceEnding() -> ServerError {
        ServerError(.serviceEnding, "The service is stopping")
    }
}
