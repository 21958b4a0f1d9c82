package import ServiceMessages

/// `assets.reconcile`: returns the result of the last comparison of files, rows and records.
package struct AssetReconcileRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsReconcile
    package static let wrongKinds = WrongKinds.ignored

    /// The maximum number of stray files, from 1 to 1,000; nil means 100.
    package var limit: Int?

    /// Creates a request.
    package init(limit: Int?) { self.limit = limit }

    /// The result. Times are in milliseconds since 1970.
    package struct Answer: Codable, Sendable {
        /// The time at which the last round ended; nil if no round has ended yet.
        package var endedAt: Int64?
        /// The number of files that the round compared.
        package var files: Int64
        /// The number of files without a row.
        package var filesWithoutRow: Int64
        /// The number of files that the round removed.
        package var filesRemoved: Int64
        /// The number of rows that the round compared.
        package var rowsChecked: Int64
        /// The number of checked rows whose file was missing or had a different size.
        package var rowsWithoutFile: Int64
        /// The number of condemned blobs that records were using.
        package var condemnedInUse: Int64
        /// The number of blobs in quarantine.
        package var quarantined: Int64
        /// Whether a foreign key prevents records from referring to blobs that do not exist.
        package var usesAreGuarded: Bool
        /// The files without a row, in order of discovery.
        package var strays: [Stray]

        /// Creates a result.
        package init(
            endedAt: Int64?, files: Int64, filesWithoutRow: Int64, filesRemoved: Int64, rowsChecked: Int64,
            rowsWithoutFile: Int64, condemnedInUse: Int64, quarantined: Int64, usesAreGuarded: Bool, strays: [Stray]
        ) {
            self.endedAt = endedAt
            self.files = files
            self.filesWithoutRow = filesWithoutRow
            self.filesRemoved = filesRemoved
            self.rowsChecked = rowsChecked
            self.rowsWithoutFile = rowsWithoutFile
            self.condemnedInUse = condemnedInUse
            self.quarantined = quarantined
            self.usesAreGuarded = usesAreGuarded
            self.strays = strays
        }
    }

    /// A file without a row.
    package struct Stray: Codable, Sendable {
        /// The key of the file in the store.
        package var key: String
        /// The time at which the file was first found.
        package var firstSeen: Int64
        /// The time at which the file was last found.
        package var lastSeen: Int64

        /// Creates a stray file.
        package init(key: String, firstSeen: Int64, lastSeen: Int64) {
            self.key = key
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
        }
    }
}
