package import PostgresClient

extension PostgresError {
    /// Whether a statement failed because there is no partition for a row, which means that the database's clock has
    /// passed the end of the existing partitions.
    package var isMissingPartition: Bool { sqlState == .checkViolation }

    /// Whether a statement failed because the environment's table or the database's row no longer exists, as happens
    /// after the container has been deleted or the environment has been reset.
    package var isOfDeletedContainer: Bool {
        sqlState == .undefinedTable || (sqlState == .foreignKeyViolation && !isOfMissingBlob)
    }

    /// The error that a statement on a removed environment's table would cause.
    package static let environmentGone = PostgresError(
        .server, sqlState: .undefinedTable, message: "the environment was removed with its container, or was reset")
}
