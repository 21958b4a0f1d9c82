package import PostgresClient

extension PostgresError {
    /// Whether a row found no partition, because the database's clock is beyond the existing partitions.
    package var isMissingPartition: Bool { sqlState == .checkViolation }

    /// Whether the environment's table, or the row of its database, was removed with its container or by a reset.
    package var isOfDeletedContainer: Bool {
        sqlState == .undefinedTable || (sqlState == .foreignKeyViolation && !isOfMissingBlob)
    }

    /// The error that a statement over the table of a removed environment would give.
    package static let environmentGone = PostgresError(
        .server, sqlState: .undefinedTable, message: "the environment was removed with its container, or was reset")
}
