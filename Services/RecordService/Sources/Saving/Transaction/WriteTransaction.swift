package import CloudKitModel
package import PostgresClient
package import RecordStorage
internal import RequestServing
internal import ServiceMessages
package import SignedTokens

/// One transaction over waiting requests: two round trips, however many requests there are, and one or two more if a
/// deletion deletes other records with it.
package struct WriteTransaction: Sendable {
    private let pool: PostgresPool
    private let schema: SchemaStore
    private let tokens: ZoneTokenIssuer
    private let receiptKeys: SigningKeys
    private let limits: Limits
    private let faults: FaultSwitch

    /// The number of missing blobs that one batch finds, each by a failed transaction, before it is given up. A receipt of
    /// a missing blob means that bytes were lost, which does not happen in a sound deployment.
    private static let maxMissingBlobs = 64

    /// Creates transactions over `pool`.
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

    /// Decides and commits `requests`.
    ///
    /// Locks the zones, reads what the requests name, decides in memory, writes, commits. The rows of executed requests
    /// are read *after* the locks are held and before anything is decided: a copy of a request at another instance waits
    /// for the lock and then sees the first one's row.
    ///
    /// If the blob of a receipt turns out to be missing, the batch is decided again with that knowledge: the operations
    /// that name the blob fail, and no others.
    ///
    /// - Parameter waiting: whether to wait a moment for the zone's lock; then all requests are of one zone.
    /// - Throws: `PostgresError`. Nothing was committed, unless the connection was lost at the commit; then running the
    ///   same requests again finds out.
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

    private func attempt(
        _ requests: [WriteRequest], waiting: Bool, missingBlobs: Set<Int64>
    ) async throws -> WriteResult {
        let assets = AssetAdmission(missing: missingBlobs) { [receiptKeys] in
            AssetReceipt(opening: $0, with: receiptKeys)
        }
        let locks = WriteLocks(requests, waiting: waiting)
        let reads = WriteReads(requests, limits: limits)
        let (batch, log) = try await pool.withConnection { connection -> (WriteBatch, [ChangeLogRow]) in
            let opening = locks.statements
            let results = try await connection.pipeline(opening + reads.statements)
            let locked = locks.locked(Array(results.prefix(opening.count)))
            var loaded = try reads.loaded(results.dropFirst(opening.count), cascading: locked.cascading)
            while true {
                let schema = try await self.schema.snapshot(
                    entered: locked.entered.results, locked.entered.environments, knowing: loaded.types(of: locked),
                    records: loaded.records(of: locked), on: connection)
                switch WriteDecision(locked, loaded, schema: schema, assets: assets, limits: limits) {
                case .needs(let reads):
                    // Without this a mistake in a decision would hold the lane forever.
                    guard !reads.isEmpty else { throw Undecided() }
                    let results = try await connection.pipeline(reads.map { $0.statement(limits) })
                    try loaded.add(results, of: reads)
                case .decided(let batch):
                    let log = batch.logRows
                    let writes = batch.statements(log: log)
                    _ = try await connection.pipeline(
                        writes.isEmpty ? [.rollback] : writes + faults.beforeCommit(of: requests) + [.commit])
                    return (batch, log)
                }
            }
        }
        // The connection is free again.
        return batch.result(log: log, tokens: tokens)
    }

    /// A decision needs something and does not say what to read.
    private struct Undecided: Error {}
}
