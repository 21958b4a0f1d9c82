package import PostgresClient

/// The id and the time of a transaction.
package struct TransactionStamp: Sendable {
    /// The id of the transaction.
    package let xid: UInt64
    /// The time according to the database's clock, in milliseconds since 1970. All instances use this clock, including
    /// for the creation of partitions.
    package let milliseconds: Int64

    /// Reads the stamp; ``init(_:)`` decodes it.
    package static let statement = PostgresCall("select pg_current_xact_id(), now()")

    /// Decodes the result of ``statement``.
    package init(_ result: PostgresResult) {
        xid = result.first?.xid8(0) ?? 0
        milliseconds = result.first?.milliseconds(1) ?? 0
    }
}
