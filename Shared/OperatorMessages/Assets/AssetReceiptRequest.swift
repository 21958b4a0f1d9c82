package import CloudKitWire
package import ServiceMessages

/// `assets.receipt`: returns receipts for a container's content, identified only by checksums.
package struct AssetReceiptRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsReceipt
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// `development` or `production`.
    package var environment: String?
    /// The database in which the receipts are valid: `public` or `private`.
    package var database: String?
    /// The owner of a private database.
    package var owner: String?
    /// The checksums in the form used in records, at most 200.
    package var fileChecksums: [String]

    /// Creates a request.
    package init(container: String, environment: String, database: String, owner: String?, fileChecksums: [String]) {
        self.container = container
        self.environment = environment
        self.database = database
        self.owner = owner
        self.fileChecksums = fileChecksums
    }

    /// The answer, with one item per checksum, in the order of the request.
    package struct Answer: Codable, Sendable {
        /// The items. Each is an asset dictionary with a receipt, as after an upload, or the error `asset_not_found`.
        package var assets: [JSONValue]
    }
}
