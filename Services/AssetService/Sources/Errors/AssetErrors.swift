internal import CloudKitModel
internal import HTTPTypes

/// The asset service's refusals. `field` is the record's field where an upload is concerned, `url` where a URL is.
extension ServerError {
    /// More bytes than an asset may have. Over HTTP its status is 413.
    static func assetTooLarge(limit: Int64, actual: Int64, field: String?) -> ServerError {
        ServerError(
            .assetTooLarge, "asset too large: \(actual) bytes of at most \(limit)", field: field, limit: Int(limit),
            actual: Int(actual))
    }

    /// More bytes than the quota of the container or of the user allows.
    static func assetQuotaExceeded(
        _ subject: QuotaRoom.Subject, limit: Int64, actual: Int64, field: String?
    ) -> ServerError {
        ServerError(
            .assetQuotaExceeded,
            "The \(subject.rawValue)'s quota for assets is \(limit) bytes, and this makes \(actual)",
            field: field, limit: Int(limit), actual: Int(actual))
    }

    /// The content's file was found to be lost or damaged.
    static func assetDamaged() -> ServerError {
        ServerError(.assetDamaged, "The asset's bytes are lost or damaged", field: "url")
    }

    /// The upload URL is not one of ours.
    static func uploadURLInvalid() -> ServerError {
        ServerError(
            .uploadURLInvalid, "The upload URL is not one this server issued",
            field: "url")
    }

    /// The upload URL was good once.
    static func uploadURLExpired(field: String) -> ServerError {
        ServerError(
            .uploadURLExpired, "The upload URL for field '\(field)' has expired; ask for another one", field: field)
    }

    /// The connection ended before the body did.
    static func uploadIncomplete(field: String) -> ServerError {
        ServerError(.uploadIncomplete, "The upload for field '\(field)' ended before its end", field: field)
    }

    /// A header of an upload is missing or cannot be read; `meaning` says how it has to be.
    static func uploadHeaderInvalid(_ name: HTTPField.Name, _ meaning: String) -> ServerError {
        ServerError(
            .uploadHeaderInvalid, "The header \(name.rawName) \(meaning)", field: name.rawName.lowercased())
    }

    /// No such resumable upload, or none any more.
    static func uploadNotFound() -> ServerError {
        ServerError(
            .uploadNotFound, "There is no such upload: it was cancelled, or not resumed in time", field: "url")
    }

    /// The client is at another place than we are.
    static func uploadOffsetMismatch() -> ServerError {
        ServerError(
            .uploadOffsetMismatch, "The upload does not go on there; Upload-Offset says where", field: "upload-offset")
    }

    /// More or fewer bytes than were told.
    static func uploadLengthMismatch(field: String) -> ServerError {
        ServerError(
            .uploadLengthMismatch, "The upload for field '\(field)' has another length than was told", field: field)
    }

    /// Another request, of another instance of the service, has the upload.
    static func uploadInUse() -> ServerError {
        ServerError(.uploadInUse, "Another request is sending to this upload", field: "url")
    }

    /// No more parts can be kept.
    static func tooManyUploads(limit: Int) -> ServerError {
        ServerError(.tooManyUploads, "Too many uploads are waiting to be resumed", limit: limit)
    }

    /// The bytes are not those that `source` told of.
    static func checksumMismatch(_ source: String, field: String) -> ServerError {
        ServerError(
            .checksumMismatch, "The bytes for field '\(field)' are not those of the checksum in \(source)", field: field
        )
    }

    /// The download URL is not one of ours.
    static func downloadURLInvalid() -> ServerError {
        ServerError(.downloadURLInvalid, "The download URL is not one this server issued", field: "url")
    }

    /// The download URL was good once.
    static func downloadURLExpired() -> ServerError {
        ServerError(.downloadURLExpired, "The download URL has expired; fetch the record again", field: "url")
    }

    /// There is no such content, or no more.
    static func assetNotFound(field: String) -> ServerError {
        ServerError(.assetNotFound, "There is no such asset", field: field)
    }

    /// A record refers to content whose bytes are not there any more.
    static func assetBytesMissing(field: String) -> ServerError {
        ServerError(
            .assetNotFound, "The bytes of the asset in field '\(field)' are not there any more", field: field)
    }

    /// What should be a checksum is none.
    static func checksumInvalid(field: String) -> ServerError {
        ServerError(.checksumInvalid, "A checksum is a fileChecksum or 64 hexadecimal digits", field: field)
    }

    /// There should be such content, but its file is missing.
    static func assetNotAvailable() -> ServerError {
        ServerError(.assetNotAvailable, "The asset's bytes cannot be delivered now", field: "url")
    }

    /// There is no room for uploads.
    static func assetStoreFull() -> ServerError {
        ServerError(.assetStoreFull, "The store of the assets is full")
    }

    /// What a store's error is told as.
    static func of(_ error: BlobStoreError) -> ServerError { error.isFull ? assetStoreFull() : assetStoreInTrouble() }

    /// The store is away.
    static func assetStoreInTrouble() -> ServerError {
        ServerError(.assetStoreInTrouble, "The store of the assets cannot be used now")
    }

    /// The service is ending.
    static func serviceEnding() -> ServerError {
        ServerError(.serviceEnding, "The service is stopping")
    }
}
