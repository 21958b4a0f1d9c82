package import CloudKitModel
package import PostgresClient
package import RecordStorage
internal import RequestServing
internal import ServiceMessages
package import SignedTokens

/// Executes waiting requests in one transaction. The transaction takes two round trips, regardless of the number of
/// requests, and a few more if a deletion also deletes dependents or if shares are affected.
package struct WriteTransaction: Sendable {
    private let pool: PostgresPool
    private let schema: SchemaStore
    private let tokens: ZoneTokenIssuer
    private let receiptKeys: SigningKeys
    private let limits: Limits
    private let faults: FaultSwitch

    /// The maximum number of missing blobs that can be found for one batch. Each missing blob costs a failed
    /// transaction. A receipt for a missing blob means that bytes were lost, which does not happen in a healthy
    /// deployment.
    private static let maxMissingBlobs = 64

    /// Creates a value that executes transactions on `pool`.
    ///
    /// - Parameter receiptKeys: the keys of ``SigningKeys/Purpose/assetReceipt``.
    package init(
        pool: PostgresPool, schema: SchemaStore, tokens: ZoneTokenIssuer, receiptKeys: SigningKeys, limits: Limits,
        faults: FaultSwitch = FaultSwitch(isOn: false)
    ) {
        self.pool = pool
        self.schema = schema
        self.tokens = tokens
        self.receiptKeys = receiptKeys
        self.limits = limits
        self.faults = faults
    }

    /// Decides the outcome of `requests` and commits it.
    ///
    /// Locks the zones, reads the records that the requests name, decides the outcomes in memory, writes them and
    /// commits. The rows of executed requests are read *after* the locks have been granted and before anything is
    /// decided. A copy of a request on another instance therefore waits for the lock and then sees the row of the first
    /// copy.
    ///
    /// If the blob of a receipt turns out to be missing, the outcomes are decided again, so that only the operations
    /// that name this blob fail.
    ///
    /// - Parameter waiting: whether to wait briefly for the zone's lock. If so, all requests must be in one zone.
    /// - Throws: `PostgresError`. If the connection was lost during the commit, running the same requests again shows
    ///   whether they were committed; otherwise, nothing was committed.
    package func run(_ requests: [WriteRequest], waiting: Bool) async throws -> WriteResult {
        var missing: Set<Int64> = []
        while true {
            do {
                return try await attempt(requests, waiting: waiting, missingBlobs: missing)
            } catch let error as PostgresError {
                guard missing.count < Self.maxMissingBlobs, let blob = error.missingBlob, missing.insert(blob).inserted
                else { throw error }
            }
        }
    }

    /// The maximum number of consecutive rounds of reads in a transaction. Each request in a batch needs only a few
    /// rounds. Without this limit, a bug in a decision would block the lane indefinitely.
    private static let maxRounds = 1000

    private func attempt(
        _ requests: [WriteRequest], waiting: Bool, missingBlobs: Set<Int64>
    ) async throws -> WriteResult {
        let assets = AssetAdmission(missing: missingBlobs) { [receiptKeys] in
            AssetReceipt(opening: $0, with: receiptKeys)
        }
        let locks = WriteLocks(requests, waiting: waiting)
        let reads = WriteReads(requests, limits: limits)
        let (batch, log, audiences) = try await pool.withConnection {
            connection -> (WriteBatch, [ChangeLogRow], [ZoneRow: AudienceTable.Versions]) in
            let opening = locks.statements
            let results = try await connection.pipeline(opening + reads.statements)
            let locked = locks.locked(Array(results.prefix(opening.count)))
            var loaded = try reads.loaded(results.dropFirst(opening.count), cascading: locked.cascading)
            for _ in 0..<Self.maxRounds {
                let schema = try await self.schema.snapshot(
                    entered: locked.entered.results, locked.entered.environments, knowing: loaded.types(of: locked),
                    records: loaded.records(of: locked), on: connection)
                switch WriteDecision(locked, loaded, schema: schema, assets: assets, limits: limits) {
                case .needs(let reads):
                    guard !reads.isEmpty else { throw Undecided() }
                    let results = try await connection.pipeline(WriteRead.statements(of: reads, limits))
                    try loaded.add(results, of: reads, limits: limits)
                case .decided(let batch):
                    let log = batch.logRows
                    let audiences = batch.audiences.map { [$0] } ?? []
                    let writes = batch.statements(log: log) + audiences
                    let results = try await connection.pipeline(
                        writes.isEmpty ? [.rollback] : writes + faults.beforeCommit(of: requests) + [.commit])
                    let versions = audiences.isEmpty ? [:] : AudienceTable.versions(results[writes.count - 1])
                    return (batch, log, versions)
                }
            }
            throw Undecided()
        }
        // The connection has been returned to the pool.
        return batch.result(log: log, tokens: tokens, audiences: audiences)
    }

    /// The error thrown when a decision needs more data without naming it, or still needs more after the maximum number
    /// of rounds.
    private struct Undecided: Error {}
}
