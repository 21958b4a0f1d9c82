internal import CloudKitModel

/// The reasons for which a save may not contain an asset.
enum AssetRefusal: Error, CaseIterable {
    /// The asset has no receipt, and the record's field has no such asset.
    case receiptMissing
    /// The receipt is forged or damaged.
    case receiptInvalid
    /// The receipt has expired.
    case receiptExpired
    /// The receipt belongs to an upload to another container, environment or database.
    case receiptForeign
    /// The receipt belongs to other bytes than the value names.
    case receiptMismatch
    /// The bytes are gone, although the receipt is valid.
    case blobMissing

    /// Returns the error of the operation.
    ///
    /// - Parameter element: the position in a list, from 0.
    func error(field: String, element: Int?) -> ServerError {
        let place = element.map { "\(field)[\($0)]" } ?? field
        return ServerError(reasonCode, "Asset '\(place)': \(text)", field: field)
    }

    /// The error of a request in which too many blobs were missing to name every field.
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
        case .receiptMissing: "the receipt of its upload is missing, and the field has no asset with that checksum"
        case .receiptInvalid: "this server did not issue the receipt"
        case .receiptExpired: "the receipt has expired; upload the file again"
        case .receiptForeign: "the receipt belongs to another container, environment or database"
        case .receiptMismatch: "fileChecksum and size differ from those of the receipt"
        case .blobMissing: "the uploaded bytes no longer exist; upload the file again"
        }
    }
}

extension ServerError {
    /// The error of a list of assets that is too long.
    static func tooManyAssets(field: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyAssets, "The list '\(field)' has \(actual) assets; the limit is \(limit)", field: field,
            limit: limit, actual: actual)
    }
}
