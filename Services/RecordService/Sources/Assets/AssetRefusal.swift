internal import CloudKitModel

/// Why a save may not bring an asset.
enum AssetRefusal: Error, CaseIterable {
    /// No receipt, and the record's field has no such asset.
    case receiptMissing
    /// Forged or damaged.
    case receiptInvalid
    /// Past its time.
    case receiptExpired
    /// Of an upload to another container, environment or database.
    case receiptForeign
    /// Of other bytes than the value names.
    case receiptMismatch
    /// The bytes are gone, although the receipt is good.
    case blobMissing

    /// The operation's error.
    ///
    /// - Parameter element: the place in a list, from 0.
    func error(field: String, element: Int?) -> ServerError {
        let place = element.map { "\(field)[\($0)]" } ?? field
        return ServerError(reasonCode, "Asset '\(place)': \(text)", field: field)
    }

    /// The error of a request in which this happened too often to name every field.
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
        case .receiptMissing: "the receipt of its upload is missing, and the record has no asset of that checksum there"
        case .receiptInvalid: "the receipt is not one that this server issued"
        case .receiptExpired: "the receipt has expired; upload the file again"
        case .receiptForeign: "the receipt belongs to another container, environment or database"
        case .receiptMismatch: "fileChecksum and size are not those of the receipt"
        case .blobMissing: "the uploaded bytes are not there any more; upload the file again"
        }
    }
}

extension ServerError {
    /// A list of assets that is too long.
    static func tooManyAssets(field: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyAssets, "Field '\(field)' has \(actual) assets where a list has at most \(limit)", field: field,
            limit: limit, actual: actual)
    }
}
