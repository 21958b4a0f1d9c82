internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The limit of PostgreSQL alone. The rows of saves are written with the record service's own statements, in
/// transactions of the size that the service reached, without a broker and without any checks.
///
/// Each connection writes to its own zones, because the lanes of a service do not wait for each other's zone locks
/// either.
package struct DatabaseLimit: Sendable {
    /// The plan of a measurement.
    package struct Plan: Sendable {
        /// The number of concurrent transactions.
        package var connections: Int
        /// The average number of rows in a transaction.
        package var rowsPerTransaction: Double
        /// The number of rows in a request, all of one zone. Each request has a row in the request table.
        package var rowsPerRequest: Int
        /// The fraction of requests that replace records, from 0 to 1.
        package var updates: Double
        /// The number of zones over which the rows are distributed.
        package var zones: Int
        /// The size of one record's operation in a load, in bytes.
        package var sizeBytes: Int

        /// Creates a plan.
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

    /// Creates a measurement of a plan.
    package init(_ plan: Plan) { self.plan = plan }

    /// Writes for `duration`, as fast as transactions commit, into a new database that is dropped afterwards.
    ///
    /// - Parameter url: the service's database.
    /// - Throws: the first failure; ``LimitFailure`` if the database does not contain all written rows.
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

    /// Writes batches on one connection, in two round trips each, as `WriteTransaction` does.
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
                    throw LimitFailure("a zone is locked by another connection")
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
        guard counted == rows else { throw LimitFailure("the zones count \(counted) changes, but \(rows) were made") }
    }
}
