package import Logging
package import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Completes, in the background, moves of more records into or out of shares than one transaction moves
/// (``ShareMoveTable``). A step examines a bounded number of records in one transaction, under the lock of the zone. After
/// an interruption, the next step continues the work.
///
/// A step that moves records has a change number of its own. The records keep their change tags and their places in the
/// owner's feed; for participants, they enter and leave with this number. The job publishes no events. The subscription
/// service finds the changes in the change log, as it does after a crash.
package struct ShareMoveJob: Sendable {
    /// The number of records after which a transaction ends.
    private static let recordsPerTransaction = 1000
    /// The maximum number of reads in one transaction. Each read finds the children of several records, so this limit
    /// matters only for long chains of parents.
    private static let readsPerTransaction = 50
    /// The maximum number of records whose children one read finds.
    private static let recordsPerRead = 50
    /// The maximum number of ancestors that one statement reads in addition to the records themselves.
    private static let ancestorsPerRead = 10_000

    private let pool: PostgresPool
    private let logger: Logger
    /// The number of records after which a transaction ends.
    private let recordsPerStep: Int

    /// Creates a job that uses `pool`.
    ///
    /// - Parameter recordsPerStep: the number of records after which a transaction ends.
    package init(pool: PostgresPool, logger: Logger, recordsPerStep: Int? = nil) {
        self.pool = pool
        self.logger = logger
        self.recordsPerStep = recordsPerStep ?? Self.recordsPerTransaction
    }

    /// Runs one step of a job that no other instance is working on, if there is such a job. A failed job is postponed.
    ///
    /// - Returns: whether there might be more work to do immediately.
    /// - Throws: `PostgresError` if the database is unavailable, in which case nothing has changed.
    package func runOnce() async throws -> Bool {
        let jobs = JobTable(pool: pool)
        guard let job = try await jobs.claim([.shareMove]), let zone = job.zone else { return false }
        do {
            try await pool.withTransaction { try await step(job, zone, on: $0) }
            return true
        } catch let error where (error as? PostgresError)?.isConnectionFailure != true {
            logger.warning(
                "a job failed and was postponed", metadata: ["job": "\(job.id)", "error": "\(error.logDescription)"])
            try await jobs.putOff(job, error.logDescription)
            return false
        }
    }

    private func step(_ job: JobTable.Job, _ zone: ZoneRow, on connection: PostgresConnection) async throws {
        let table = ShareMoveTable(job.environment)
        let results = try await connection.pipeline([
            ZoneTable.lock([zone], waiting: true), TransactionStamp.statement, ShareMoveTable.zone(zone),
            table.next(in: zone, limit: recordsPerStep), ReferenceTable.byTarget,
        ])
        guard let locked = ZoneTable.locked(results[0])[zone], let place = ShareMoveTable.zone(results[2]) else {
            // The zone has been deleted, and its rows are removed with it.
            return try await finish(job, zone, on: connection)
        }
        let pending = ShareMoveTable.pending(results[3])
        guard !pending.isEmpty else { return try await finish(job, zone, on: connection) }
        var walk = try await MoveWalk(
            from: pending, in: zone, ends: ends(of: pending, in: zone, of: job.environment, on: connection),
            seq: locked.changeSeq + 1, redelivers: locked.moves == .leaving)
        for _ in 0..<Self.readsPerTransaction where walk.examined < recordsPerStep {
            let records = walk.take(Self.recordsPerRead)
            guard !records.isEmpty else { break }
            let limit = max(1, recordsPerStep / records.count)
            let read = try await connection.pipeline([
                table.children(of: records.map(\.pending), in: zone, limit: limit)
            ])
            walk.examine(ShareMoveTable.children(read[0], of: records.map(\.pending)), of: records, limit: limit)
        }
        var calls = table.replace(pending, by: walk.rest, in: zone)
        if !walk.isUnchanged {
            let members = MembershipTable(job.environment)
            calls += members.move(walk.moves) + members.depart(walk.departures)
            calls += [
                ZoneTable.raise(zone, to: walk.seq),
                ChangeLog.insert([
                    ChangeLogRow(
                        zone: zone, incarnation: place.incarnation, fromSeq: walk.seq, toSeq: walk.seq, client: nil,
                        user: place.owner, at: TransactionStamp(results[1]).milliseconds,
                        records: ChangedRecord.json([]))
                ]),
            ]
        }
        _ = try await connection.pipeline(calls + [JobTable.endPiece(job)])
    }

    /// Follows the parents of all records of a step. Takes one round trip, or more if there are very many ancestors.
    private func ends(
        of pending: [ShareMoveTable.Pending], in zone: ZoneRow, of environment: EnvironmentRow,
        on connection: PostgresConnection
    ) async throws -> [RecordKey: Ancestry.End] {
        var ancestry = Ancestry()
        let all = pending.map { RecordKey(zone: zone, name: $0.name) }
        var missing = Set(all)
        while true {
            let read = try await connection.pipeline([
                MembershipTable(environment).ancestors(
                    of: Array(missing), limit: missing.count + Self.ancestorsPerRead)
            ])
            ancestry.read(MembershipTable.ancestors(read[0]), above: Array(missing))
            let ends = ancestry.ends(of: all)
            missing = Set(
                all.compactMap { if case .missing(let key)? = ends[$0] { key } else { nil } })
            if missing.isEmpty { return ends }
        }
    }

    private func finish(_ job: JobTable.Job, _ zone: ZoneRow, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([ShareMoveTable.finish(zone), JobTable.finish(job)])
        logger.info("records have moved to their shares", metadata: ["job": "\(job.id)"])
    }
}
