internal import CloudKitModel

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

    /// The disk is full or away.
    static func assetStoreInTrouble() -> ServerError {
        ServerError(.assetStoreInTrouble, "The store of the assets cannot be used now")
    }

    /// The service is ending.
    static func serviceEnding() -> ServerError {
        ServerError(.serviceEnding, "The service is stopping")
    }
}
