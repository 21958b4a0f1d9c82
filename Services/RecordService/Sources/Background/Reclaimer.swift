package import Logging
package import PostgresClient
internal import RecordStorage
internal import RequestServing

/// Removes, in the background, data that is already invisible: the rows of deleted zones, the tables of deleted
/// environments, and the records of shares that have ended. Each job is a row in `record.job` until it is done.
///
/// The reclaimer publishes no events. The asset service's sweep finds the blobs that are no longer used. The row of a
/// deleted zone is kept for the retention period, because the database feed reports the deletion. The zone's rows in
/// the change log are also kept, for one day.
package struct Reclaimer: Sendable {
    /// The number of records that one transaction removes from shares, and the number of rows of each other kind that it
    /// deletes.
    private static let rowsPerPiece = 1000

    private let pool: PostgresPool
    private let jobs: JobTable
    private let retention: Duration
    private let logger: Logger

    /// Creates a reclaimer that uses `pool`.
    ///
    /// - Parameter retention: the time for which the deletion of a zone is reported.
    package init(pool: PostgresPool, retention: Duration, logger: Logger) {
        self.pool = pool
        jobs = JobTable(pool: pool)
        self.retention = retention
        self.logger = logger
    }

    /// Runs one bounded step of a job that no other instance is working on. Does nothing if there is no such job. A
    /// failed job is postponed, for longer after each failure, so that it does not delay other jobs.
    ///
    /// - Returns: whether there might be more work to do immediately.
    /// - Throws: `PostgresError` if the database is unavailable.
    package func runOnce() async throws -> Bool {
        guard let job = try await jobs.claim([.zoneReclaim, .zoneForget, .environmentReclaim, .shareEmptying]) else {
            return false
        }
        do {
            switch (job.kind, job.zone) {
            case (.zoneReclaim, let zone?): try await reclaim(zone, job)
            case (.zoneForget, let zone?): try await forget(zone, job)
            case (.environmentReclaim, _): try await reclaimEnvironment(job)
            case (.shareEmptying, let zone?): try await emptyShares(of: zone, job)
            case (.zoneReclaim, nil), (.zoneForget, nil), (.shareEmptying, nil), (.cascade, _), (.indexBuild, _),
                (.sharingIndex, _), (.shareMove, _):
                break
            }
            return true
        } catch let error as PostgresError where !error.isConnectionFailure {
            logger.warning("a job failed and was postponed", metadata: ["job": "\(job.id)", "error": "\(error)"])
            try await jobs.putOff(job, error.logDescription)
            return false
        }
    }

    private func reclaim(_ zone: ZoneRow, _ job: JobTable.Job) async throws {
        try await pool.withTransaction { connection in
            let next: PostgresCall
            switch try await ZoneRemoval.removeRows(of: zone, in: job.environment, on: connection) {
            case .more: next = JobTable.endPiece(job)
            case .done: next = JobTable.forgetZone(job)
            case .environmentGone: return try await finish(job, on: connection)
            }
            _ = try await connection.pipeline([next])
        }
    }

    private func forget(_ zone: ZoneRow, _ job: JobTable.Job) async throws {
        try await pool.withTransaction { connection in
            let isGone = try await ZoneRemoval.removeZone(zone, of: job, retention: retention, on: connection)
            if isGone { try await finish(job, on: connection) }
        }
    }

    private func reclaimEnvironment(_ job: JobTable.Job) async throws {
        try await pool.withConnection { connection in
            try await EnvironmentRemoval.removeTables(of: job.environment, on: connection)
        }
        try await pool.withConnection { try await finish(job, on: $0) }
    }

    private func emptyShares(of zone: ZoneRow, _ job: JobTable.Job) async throws {
        let leaving = MembershipTable(job.environment).leaveEndedShares(in: zone, limit: Self.rowsPerPiece)
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline([ZoneTable.lock([zone], waiting: true)])
            // The rows of a deleted zone are removed by another job. They must not be moved before that.
            guard ZoneTable.locked(results[0])[zone]?.isDeleted == false else {
                return try await finish(job, on: connection)
            }
            let forgetting = MembershipTable.forgetUninvolved(in: zone, limit: Self.rowsPerPiece)
            let removed = try await connection.pipeline([leaving] + forgetting)
            let isMore = removed.dropFirst().contains { $0.affectedRows == Self.rowsPerPiece }
            if isMore || MembershipTable.count(removed[0]) > 0 {
                _ = try await connection.pipeline([JobTable.endPiece(job)])
            } else {
                _ = try await connection.pipeline([MembershipTable.endEmptying(of: zone)])
                try await finish(job, on: connection)
            }
        }
    }

    private func finish(_ job: JobTable.Job, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([JobTable.finish(job)])
        logger.info("deleted data was removed", metadata: ["job": "\(job.id)", "kind": "\(job.kind.rawValue)"])
    }
}
