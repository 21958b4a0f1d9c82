package import CloudKitModel
internal import CloudKitWire
package import PostgresClient
package import RequestServing
package import ServiceMessages
package import SignedTokens

/// One transaction over whatever waited: two round trips, whatever the number of requests.
package struct WriteTransaction: Sendable {
    /// What came of the work.
    package struct Result: Sendable {
        /// Requests with their answers; committed.
        package var answered: [(request: WriteRequest, answer: Answer)] = []
        /// What to tell the world; committed.
        package var events: [ChangeEvent] = []
        /// Requests to be taken again: their zone's lock was missed, or a record was left out of the read.
        package var returned: [WriteRequest] = []
        /// The zones whose lock was missed.
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
    /// - Parameter waiting: whether to wait for the zone's lock; then all requests are of one zone.
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
        let reads = plan.reads(waiting: waiting)
        return try await pool.withConnection { connection in
            try plan.load(try await connection.pipeline(reads), waiting: waiting)
            try await schema.know(plan.typesInUse, records: plan.recordsRead, on: connection)
            plan.decide(schema: schema)
            let writes = plan.writes(schema: schema)
            _ = try await connection.pipeline(
                writes.isEmpty ? [.rollback] : writes + faults.beforeCommit(of: requests) + [.commit])
            return plan.result(schema: schema, tokens: tokens, downloads: downloads)
        }
    }
}

/// The inside of a transaction, step by step: what to read, what it means, what to write.
private struct WritePlan {
    private let requests: [WriteRequest]
    private let assets: AssetAdmission
    private let limits: Limits
    private let environments: [EnvironmentRow]
    /// The transaction's time by the database's clock, milliseconds since 1970: one clock for all instances, and the
    /// one by which partitions are made.
    private var now: Int64 = 0
    private var xid: UInt64 = 0
    private var counters: [ZoneRow: Int64] = [:]
    private var records: [RecordKey: StoredRecord] = [:]
    private var omitted: Set<RecordKey> = []
    private var earlier: [RequestTable.Key: RequestTable.Row] = [:]
    private var planner: BatchPlanner?
    private var decided: [(request: WriteRequest, outcome: WriteOutcome)] = []
    private var repeats: [(request: WriteRequest, row: RequestTable.Row)] = []
    private var log = ChangeCollector()
    private var logRows: [ChangeLogRow] = []
    private var outcome = WriteTransaction.Result()

    init(requests: [WriteRequest], assets: AssetAdmission, limits: Limits) {
        self.requests = requests
        self.assets = assets
        self.limits = limits
        environments = Array(Set(requests.map(\.zone.database.environment)))
    }

    /// The records that were read, with their fields.
    var recordsRead: [StoredRecord] { Array(records.values) }

    /// The types that answers to repeats name.
    var typesInUse: Set<RecordTypeID> {
        earlier.values.reduce(into: []) { $0.formUnion(OutcomeCodec.types(in: $1.outcome)) }
    }

    func reads(waiting: Bool) -> [PostgresCall] {
        let zones = Set(requests.map(\.zone.row))
        var calls: [PostgresCall] = [
            .begin, ZoneTable.lock(Array(zones), waiting: waiting),
            PostgresCall("select pg_current_xact_id(), now()"), RequestTable.record.read(requests.map(\.requestKey)),
        ]
        for environment in environments {
            // In the order of the requests: the first request's records are never those left out of a large read.
            var seen: Set<RecordKey> = []
            var keys: [RecordKey] = []
            for request in requests where request.zone.database.environment == environment {
                for key in request.keys where seen.insert(key).inserted { keys.append(key) }
            }
            calls.append(RecordTable(environment).read(keys))
        }
        return calls
    }

    /// Takes in what ``reads(waiting:)`` brought.
    mutating func load(_ results: [PostgresResult], waiting: Bool) throws {
        let locked = ZoneTable.locked(results[1])
        for request in requests {
            let zone = request.zone.row
            if let lock = locked[zone], !lock.isDeleted {
                counters[zone] = lock.changeSeq
            } else if locked[zone] != nil || waiting {
                outcome.homeless.append(request)
            } else {
                outcome.skipped.insert(zone)
                outcome.returned.append(request)
            }
        }
        xid = results[2].first?.xid8(0) ?? 0
        now = results[2].first?.milliseconds(1) ?? 0
        earlier = RequestTable.rows(results[3])
        for result in results[4...] {
            for (zone, record, isOmitted) in try RecordTable.records(result) {
                let key = RecordKey(zone: zone, name: record.name)
                records[key] = record
                if isOmitted { omitted.insert(key) }
            }
        }
    }

    mutating func decide(schema: SchemaStore) {
        let view = BatchPlanner.SchemaView(
            named: { schema.type($0, in: $1) }, identified: { schema.type($0) })
        var planner = BatchPlanner(
            counters: counters, records: records, omitted: omitted, schema: view, assets: assets, limits: limits,
            now: now)
        for request in requests where counters[request.zone.row] != nil {
            if let row = earlier[request.requestKey] {
                repeats.append((request, row))
                continue
            }
            let (decision, changes) = planner.decide(request)
            switch decision {
            case .decided(let outcome):
                decided.append((request, outcome))
                // A copy of the same request in the same batch is a repeat like any other.
                earlier[request.requestKey] = RequestTable.Row(
                    key: request.requestKey, bodyHash: request.bodyHash, outcome: OutcomeCodec.encode(outcome))
                log.append(changes, of: request)
            case .needsSchema(let additions):
                outcome.unlearnt.append((request, additions))
            case .postponed where request.isAlone || requests.count == 1:
                // Alone and still too large: it never fits.
                let error = ServerError.tooMany(
                    "bytes of records to be merged", limit: RecordTable.maxBytesRead,
                    actual: records.values.reduce(0) { $0 + $1.size })
                outcome.answered.append((request, Answer(error: error, context: request.context)))
            case .postponed:
                var alone = request
                alone.isAlone = true
                outcome.returned.append(alone)
            }
        }
        self.planner = planner
        logRows = log.rows(at: now)
    }

    func writes(schema: SchemaStore) -> [PostgresCall] {
        guard let planner, !decided.isEmpty else { return [] }
        var calls: [PostgresCall] = []
        if !planner.changed.isEmpty {
            for environment in environments {
                let zones = Set(requests.filter { $0.zone.database.environment == environment }.map(\.zone.row))
                let changed = planner.changed.filter { zones.contains($0.zone) }
                    .compactMap { key in planner.records[key].map { (key.zone, $0) } }
                if !changed.isEmpty { calls.append(RecordTable(environment).write(changed)) }
                let uses = AssetUseChanges(
                    of: planner.assetsChanged.lazy.filter { zones.contains($0.zone) }, from: records,
                    to: planner.records, omitted: omitted, type: { schema.type($0) })
                calls += AssetUseTable(environment).write(uses)
            }
            let advanced = planner.counters.filter { counters[$0.key] != $0.value }
            calls.append(ZoneTable.advance(advanced.map { ($0.key, $0.value) }))
            calls.append(ChangeLog.insert(logRows))
        }
        calls.append(RequestTable.record.insert(decided.compactMap { earlier[$0.request.requestKey] }))
        return calls
    }

    func result(schema: SchemaStore, tokens: ZoneTokenIssuer, downloads: AssetDownloads?) -> WriteTransaction.Result {
        var result = outcome
        for (request, outcome) in decided {
            let answer = ModifyAnswer(request: request, schema: schema, downloads: downloads).answer(outcome)
            result.answered.append((request, answer))
        }
        for (request, row) in repeats {
            let answer = ModifyAnswer(request: request, schema: schema, downloads: downloads).again(row) { key in
                omitted.contains(key) ? nil : planner?.records[key]
            }
            result.answered.append((request, answer))
        }
        result.events = log.events(logRows, xid: xid, tokens: tokens)
        result.effectiveOperations = log.count
        return result
    }
}

extension WriteRequest {
    /// By which a repeat of it is known.
    package var requestKey: RequestTable.Key {
        RequestTable.Key(
            environment: zone.database.environment.rawValue, user: context.user, messageID: messageID)
    }

    /// The records that it names, and those that it will name.
    fileprivate var keys: [RecordKey] {
        body.operations.enumerated().compactMap { position, operation in
            let name =
                operation.record.recordName ?? (operation.kind?.mayCreate == true ? generatedName(position) : nil)
            return name.map { RecordKey(zone: zone.row, name: $0) }
        }
    }

    private func generatedName(_ position: Int) -> String {
        OperationIdentity(user: context.user, messageID: messageID, position: position).recordName
    }
}
