internal import CloudKitModel

/// The reasons why a save is not allowed to contain an asset.
enum AssetRefusal: Error, CaseIterable {
    /// The asset has no receipt, and the record's field does not already contain it.
    case receiptMissing
    /// The receipt is forged or damaged.
    case receiptInvalid
    /// The receipt has expired.
    case receiptExpired
    /// The receipt was issued for another container, environment or database, or, in a shared zone, for another user or
    /// zone.
    case receiptForeign
    /// The checksum or the size in the receipt differs from the one in the asset value.
    case receiptMismatch
    /// The bytes no longer exist, although the receipt is valid.
    case blobMissing

    /// Returns the error for the operation.
    ///
    /// - Parameter element: the asset's index in a list; nil if the value is a single asset.
    func error(field: String, element: Int?) -> ServerError {
        let place = element.map { "\(field)[\($0)]" } ?? field
        return ServerError(reasonCode, "Asset '\(place)': \(text)", field: field)
    }

    /// The error for a whole request, used when too many blobs are missing to report each affected field.
    var wholeError: ServerError {
        ServerError(reasonCode, text, field: "receipt")
    }

    private var reasonCode: ReasonCode {
        switch self {
        case .receiptMissing: .assetReceiptMissing
        case .receiptInvalid: .assetReceiptInvalid
        case .receiptExpired: .assetReceiptExpired
        case .receiptForeign: .assetReceiptForeign
        case .receiptMismatch: .assetReceiptMismatch
        case .blobMissing: .assetBytesMissing
        }
    }

    private var text: String {
        switch self {
        case .receiptMissing: "the receipt of its upload is missing, and the field contains no asset with that checksum"
        case .receiptInvalid: "this server did not issue the receipt"
        case .receiptExpired: "the receipt has expired; upload the file again"
        case .receiptForeign: "the receipt belongs to another container, environment, database or user"
        case .receiptMismatch: "fileChecksum or size differs from the receipt's"
        case .blobMissing: "the uploaded bytes no longer exist; upload the file again"
        }
    }
}

extension ServerError {
    /// Returns the error for a list of assets that is too long.
    static func tooManyAssets(field: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyAssets, "The list '\(field)' has \(actual) assets; the limit is \(limit)", field: field,
            limit: limit, actual: actual)
    }
}
