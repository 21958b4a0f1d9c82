package import PostgresClient

extension PostgresError {
    /// Whether there is no partition for a row, because the database's clock is beyond the existing partitions.
    package var isMissingPartition: Bool { sqlState == .checkViolation }

    /// Whether the environment's table or the database's row is gone, because the container was deleted or the
    /// environment reset.
    package var isOfDeletedContainer: Bool {
        sqlState == .undefinedTable || (sqlState == .foreignKeyViolation && !isOfMissingBlob)
    }

    /// The error that a statement on a removed environment's table would cause.
    package static let environmentGone = PostgresError(
        .server, sqlState: .undefinedTable, message: "the environment was removed with its container, or was reset")
}
