package import Logging
package import PostgresClient
package import RequestServing

extension RequestTable {
    /// The table of the requests that the record service has executed.
    package static let record = RequestTable(schema: "record")
}

extension TimePartitions {
    /// Returns the partitions of the change log and of the record service's requests.
    package static func record(pool: PostgresPool, logger: Logger) -> TimePartitions {
        TimePartitions(
            schema: "record", series: [Series(table: "change", hours: 1), Series(table: "request", hours: 4)],
            pool: pool, logger: logger)
    }
}
