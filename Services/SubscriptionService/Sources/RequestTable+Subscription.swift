internal import Logging
internal import PostgresClient
internal import RequestServing

extension RequestTable {
    /// The executed requests of the subscription service.
    static let subscription = RequestTable(schema: "subscription")
}

extension TimePartitions {
    /// Returns the partitions of the subscription service's executed requests.
    static func subscription(pool: PostgresPool, logger: Logger) -> TimePartitions {
        TimePartitions(
            schema: "subscription", series: [Series(table: "request", hours: 4)], pool: pool, logger: logger)
    }
}
