internal import CloudKitModel

/// Why a save may not bring an asset. The raw value is the error's `reasonCode`.
enum AssetRefusal: String, Error, CaseIterable {
    /// No receipt, and the record's field has no such asset.
    case receiptMissing = "asset_receipt_missing"
    /// Forged or damaged.
    case receiptInvalid = "asset_receipt_invalid"
    /// Past its time.
    case receiptExpired = "asset_receipt_expired"
    /// Of an upload to another container, environment or database.
    case receiptForeign = "asset_receipt_foreign"
    /// Of other bytes than the value names.
    case receiptMismatch = "asset_receipt_mismatch"
    /// The bytes are gone, although the receipt is good.
    case blobMissing = "asset_not_found"

    /// The operation's error.
    ///
    /// - Parameter element: the place in a list, from 0.
    func error(field: String, element: Int?) -> ServerError {
        let place = element.map { "\(field)[\($0)]" } ?? field
        return ServerError(
            .badRequest, self == .blobMissing ? .assetNotAvailable : nil, reasonCode: rawValue,
            reason: "Asset '\(place)': \(text)", field: field)
    }

    /// The error of a request in which this happened too often to name every field.
    var wholeError: ServerError {
        ServerError(.badRequest, .assetNotAvailable, reasonCode: rawValue, reason: text, field: "receipt")
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
            .badRequest, .limitExceeded, reasonCode: "too_many_assets",
            reason: "Field '\(field)' has \(actual) assets where a list has at most \(limit)", field: field,
            limit: limit, actual: actual)
    }
}
