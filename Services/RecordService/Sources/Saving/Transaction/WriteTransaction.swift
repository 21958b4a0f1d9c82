package import CloudKitModel
internal import CloudKitWire
package import PostgresClient
package import RecordStorage
internal import RequestServing
package import ServiceMessages
package import SignedTokens

/// One transaction over whatever waited: two round trips, whatever the number of requests; one or two more where a
/// deletion takes others with it.
package struct WriteTransaction: Sendable {
    /// What came of the work.
    package struct Result: Sendable {
        /// What was committed, or refused for good.
        package var answered: [AnsweredWrite] = []
        /// What to tell the world; committed.
        package var events: [ChangeEvent] = []
        /// Requests to be taken again: their zone's lock was missed, their environment's schema is being changed, or a
        /// record was left out of the read.
        package var returned: [WriteRequest] = []
        /// The zones whose lock, or whose environment's, was missed.
        package var skipped: Set<ZoneRow> = []
        /// Requests whose zone is not there under its row any more.
        package var homeless: [WriteRequest] = []
        /// Requests that wait until the schema has learnt something.
        package var unlearnt: [(request: WriteRequest, additions: [SchemaAddition])] = []
        /// Operations that changed something.
        package var effectiveOperations = 0
    }

    private let pool: PostgresPool
    private let schema: SchemaStore
    private let tokens: ZoneTokenIssuer
    private let receiptKeys: SigningKeys
    private let downloads: AssetDownloads?
    private let limits: Limits
    private let faults: FaultSwitch

    /// One batch finds so many blobs missing, each by a failed transaction, before it is given up. Receipts of missing
    /// blobs mean that bytes were lost: it never happens in a sound deployment.
    private static let maxMissingBlobs = 64

    /// Transactions over `pool`.
    ///
    /// - Parameters:
    ///   - receiptKeys: those of ``SigningKeys/Purpose/assetReceipt``.
    ///   - downloads: the addresses of assets in answers; nil: they have none.
    package init(
        pool: PostgresPool, schema: SchemaStore, tokens: ZoneTokenIssuer, receiptKeys: SigningKeys,
        downloads: AssetDownloads?, limits: Limits, faults: FaultSwitch = FaultSwitch(isOn: false)
    ) {
        self.pool = pool
        self.schema = schema
        self.tokens = tokens
        self.receiptKeys = receiptKeys
        self.downloads = downloads
        self.limits = limits
        self.faults = faults
    }

    /// Decides and commits `requests`.
    ///
    /// Locks the zones, reads what the requests name, decides in memory, writes, commits. The request rows are read
    /// *after* the locks are held and before anything is decided: a copy of a request at another instance waits for
    /// the lock and then sees the first one's row.
    ///
    /// Where a receipt's blob turns out to be missing, the batch is decided again with that known: the operations that
    /// name it fail, and no others.
    ///
    /// - Parameter waiting: whether to wait a moment for the zone's lock; then all requests are of one zone.
    /// - Throws: `PostgresError`; nothing was committed, or, when the connection was lost at the commit, perhaps
    ///   everything was: running the same requests again finds out.
    package func run(_ requests: [WriteRequest], waiting: Bool) async throws -> Result {
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

    private func attempt(_ requests: [WriteRequest], waiting: Bool, missingBlobs: Set<Int64>) async throws -> Result {
        let assets = AssetAdmission(missing: missingBlobs) { [receiptKeys] in
            AssetReceipt(opening: $0, with: receiptKeys)
        }
        var plan = WritePlan(requests: requests, assets: assets, limits: limits)
        return try await pool.withConnection { connection in
            let lock = ZoneTable.lock(plan.zones, waiting: waiting)
            // Other zones' requests may have the same ids. What waits for a zone with an id's lock, as a deletion of zones
            // does, waits for less than a second.
            let once = RequestTable.record.lock(requests.map(\.requestKey))
            let locks =
                waiting
                ? [LockPatience.shorten(to: LockPatience.lane), lock, once, LockPatience.restore] : [lock, once]
            // The schemas stay as they are until the end of the transaction. They come after the zones, and are not waited
            // for: who waits for a zone holds up no change of a schema, and a change of one environment's schema no other
            // environment.
            let entry = SchemaStore.tryEnter(plan.environments)
            var reads = plan.reads()
            var results = try await connection.pipeline([.begin] + locks + entry + reads.map(\.call))
            let first = 1 + locks.count
            let entered = SchemaStore.entered(
                Array(results[first..<first + entry.count]), of: plan.environments)
            plan.take(
                ZoneTable.locked(results[waiting ? 2 : 1]), in: entered.environments, waiting: waiting)
            results = Array(results[(first + entry.count)...])
            var schema = SchemaSnapshot()
            // Once as a rule; again where records go that others point to.
            while !reads.isEmpty {
                try plan.load(results, of: reads)
                schema = try await self.schema.snapshot(
                    entered: entered.results, entered.environments, knowing: plan.typesInUse, records: plan.recordsRead,
                    on: connection)
                reads = plan.decide(schema: schema)
                if !reads.isEmpty { results = try await connection.pipeline(reads.map(\.call)) }
            }
            let writes = plan.writes(schema: schema)
            _ = try await connection.pipeline(
                writes.isEmpty ? [.rollback] : writes + faults.beforeCommit(of: requests) + [.commit])
            return plan.result(schema: schema, tokens: tokens, downloads: downloads)
        }
    }
}
