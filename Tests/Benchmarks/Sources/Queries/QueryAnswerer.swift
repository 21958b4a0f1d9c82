internal import AMQPClient
internal import CloudKitWire
internal import Logging
internal import PostgresClient
internal import ServiceMessages

/// The bare program that answers a query. For each request, it runs the hand-written statement, fetches its rows, and
/// sends the same bytes as an earlier answer of the service. It checks no access, parses no request and writes no JSON.
struct QueryAnswerer: Sendable {
    private static let connectLimit: Duration = .seconds(10)
    private static let heldBytes = 16 << 20

    private let statement: PostgresCall
    private let rowCount: Int
    private let answer: [UInt8]

    /// Queries the service and the database once, and compares the results.
    ///
    /// - Throws: ``LimitFailure`` if the statement finds other records than the service.
    init(_ query: BenchQuery, zone: String, table: BareTable, over pool: PostgresPool) async throws {
        guard let statement = query.statement?(table) else { throw LimitFailure("'\(query.name)' has no statement") }
        self.statement = statement
        answer = try await ServiceAnswer.to(query.operation, body: query.body(zone: zone))
        let rows = try await pool.withConnection { try await $0.query(statement.statement, statement.parameters) }
        rowCount = rows.count
        let reported = try JSONValue(parsing: answer)
        let isSame =
            if let limit = query.limit {
                reported["records"]?.array?.map { $0["recordName"]?.string } == rows.prefix(limit).map { $0.string(0) }
            } else {
                reported["results"]?[0]?["aggregates"]?[0]?["value"]?["value"]?.int == rows[0].int64(0)
            }
        guard isSame else { throw LimitFailure("'\(query.name)': the statement's records differ") }
    }

    /// Answers the requests in `queue` over connections of `pool`, until the task is cancelled.
    ///
    /// - Parameter whenReady: called once, when it is listening.
    func run(
        _ configuration: AMQPConfiguration, queue: String, prefetch: UInt16, over pool: PostgresPool, connections: Int,
        whenReady: @escaping @Sendable () -> Void
    ) async throws {
        let consumer = AMQPConsumer(
            configuration: configuration, consumptions: [AMQPConsumption(queue: queue, prefetch: prefetch)],
            maxHeldBytes: Self.heldBytes, logger: .limits)
        let publisher = AMQPPublisher(configuration: configuration, logger: .limits)
        // The prefetch limits the size of this stream's buffer.
        let (waiting, arrivals) = AsyncStream<AMQPDelivery>.makeStream()
        let reply = Answerer.reply(answer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            group.addTask { try await consumer.run() }
            group.addTask {
                for await deliveries in consumer.batches {
                    for delivery in deliveries { arrivals.yield(delivery) }
                }
            }
            for _ in 0..<connections {
                group.addTask {
                    try await pool.withConnection { connection in
                        for await delivery in waiting {
                            let rows = try await connection.query(statement.statement, statement.parameters)
                            guard rows.count == rowCount else { throw LimitFailure("the rows have changed") }
                            publisher.publish([reply(delivery)]) { _ in consumer.acknowledge([delivery]) }
                        }
                    }
                }
            }
            try await publisher.waitUntilConnected(timeout: Self.connectLimit)
            try await consumer.waitUntilConnected(timeout: Self.connectLimit)
            whenReady()
            try await group.waitForAll()
        }
    }
}
