internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// What PostgreSQL alone reaches: the rows of saves by the record service's own statements, in transactions of the size
/// that the service reached, without a broker and without deciding anything.
///
/// Each connection has its share of the zones: the lanes of a service do not meet at a zone's lock either.
package struct DatabaseLimit: Sendable {
    /// What is written.
    package struct Plan: Sendable {
        /// Transactions at once.
        package var connections: Int
        /// Rows of a transaction, on average.
        package var rowsPerTransaction: Double
        /// Rows of a request, all of one zone: for each request there is a row in the request table.
        package var rowsPerRequest: Int
        /// The share of requests that replace records, 0 to 1.
        package var updates: Double
        /// Zones over which the rows are spread.
        package var zones: Int
        /// Bytes of one record's operation, as a load has it.
        package var sizeBytes: Int

        /// Such a plan.
        package init(
            connections: Int, rowsPerTransaction: Double, rowsPerRequest: Int, updates: Double, zones: Int,
            sizeBytes: Int
        ) {
            self.connections = connections
            self.rowsPerTransaction = rowsPerTransaction
            self.rowsPerRequest = rowsPerRequest
            self.updates = updates
            self.zones = zones
            self.sizeBytes = sizeBytes
        }
    }

    private let plan: Plan

    /// A measurement of that plan.
    package init(_ plan: Plan) { self.plan = plan }

    /// Writes for `duration`, as fast as transactions commit, into a database of its own that is dropped afterwards.
    ///
    /// - Parameter url: the service's database.
    /// - Throws: the first failure, and ``LimitFailure`` when the database does not hold what was written.
    package func run(url: String, duration: Duration) async throws -> Throughput {
        try await LimitDatabase.with(url: url, connections: plan.connections, zoneCount: plan.zones) { database in
            let template = try await RowTemplate(in: database, sizeBytes: plan.sizeBytes)
            let clock = ContinuousClock()
            let start = clock.now
            let end = start + duration
            let rows = try await withThrowingTaskGroup(of: Int.self) { group in
                for connection in 0..<plan.connections {
                    let zones = stride(from: connection, to: plan.zones, by: plan.connections).map {
                        database.zones[$0]
                    }
                    let writer = BatchMaker(
                        zones: zones, template: template, user: database.context.user,
                        rowsPerRequest: plan.rowsPerRequest, updates: plan.updates)
                    group.addTask { try await write(writer, to: database.pool, until: end) }
                }
                return try await group.reduce(0, +)
            }
            let elapsed = start.duration(to: clock.now)
            try await check(database, rows: rows)
            return Throughput(count: rows, elapsed: elapsed)
        }
    }

    /// Writes batch after batch on one connection, in two round trips each, as `WriteTransaction` does.
    private func write(
        _ maker: consuming BatchMaker, to pool: PostgresPool, until end: ContinuousClock.Instant
    ) async throws -> Int {
        let clock = ContinuousClock()
        var rows = 0
        var requestsDue = 0.0
        while clock.now < end {
            requestsDue += plan.rowsPerTransaction / Double(plan.rowsPerRequest)
            let requests = max(1, Int(requestsDue))
            requestsDue = max(0, requestsDue - Double(requests))
            let batch = maker.next(requests: requests, now: SystemClock.milliseconds())
            try await pool.withConnection { connection in
                let read = try await connection.pipeline(batch.reads)
                guard ZoneTable.locked(read[1]).count == batch.zoneCount else {
                    throw LimitFailure("a zone is locked by somebody else")
                }
                _ = try await connection.pipeline(batch.writes + [.commit])
            }
            rows += batch.rowCount
        }
        return rows
    }

    private func check(_ database: LimitDatabase, rows: Int) async throws {
        let counted = try await database.pool.withConnection { connection in
            try await connection.query("select sum(change_seq)::int8 from record.zone")[0].int64(0)
        }
        guard counted == rows else { throw LimitFailure("the zones count \(counted) changes where \(rows) were made") }
    }
}
