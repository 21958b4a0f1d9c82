/// The result of one round of the reconciliation, which compares files, rows and uses.
package struct ReconciliationRound: Sendable, Equatable {
    /// The end of the round, in milliseconds since 1970; nil if there has been no round yet.
    package var endedAt: Int64?
    /// The number of files that were old enough to be compared.
    package var files: Int64 = 0
    /// The number of these files that have no row.
    package var strays: Int64 = 0
    /// The number of these files that were removed.
    package var removed: Int64 = 0
    /// The number of rows whose file was looked up.
    package var rowsChecked: Int64 = 0
    /// The number of these rows whose file was missing or had a different size.
    package var missing: Int64 = 0
    /// The number of condemned blobs that were found in use and revived.
    package var revived: Int64 = 0
    /// The place from which the next round continues the walk over the rows.
    package var walkedTo = BlobID(rawValue: 0)

    /// Creates the result of a round that has found nothing yet.
    package init() {}
}

/// A stray file. Times are in milliseconds since 1970.
package struct StrayFile: Sendable, Equatable {
    package var key: String
    package var firstSeen: Int64
    package var lastSeen: Int64
}
