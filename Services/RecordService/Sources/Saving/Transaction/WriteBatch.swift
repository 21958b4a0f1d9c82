internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The writes of a transaction, and the answers to its requests.
struct WriteBatch {
    private let locked: LockedWrites
    private let loaded: LoadedWrites
    private let schema: SchemaSnapshot
    private var planner: BatchPlanner
    /// The executed requests, including those of this batch.
    private var executed: [RequestTable.Key: RequestTable.Row]
    private var decided: [(request: WriteRequest, outcome: WriteOutcome)] = []
    private var repeats: [(request: WriteRequest, row: RequestTable.Row)] = []
    private var log = ChangeCollector()
    /// The result for the requests that are neither decided nor repeated.
    private var rest: WriteResult

    /// Creates an empty batch.
    init(
        _ locked: LockedWrites, _ loaded: LoadedWrites, schema: SchemaSnapshot, assets: AssetAdmission, limits: Limits
    ) {
        self.locked = locked
        self.loaded = loaded
        self.schema = schema
        executed = loaded.earlier
        rest = locked.passedOver
        var (checked, pending): (Set<RecordKey>?, [RecordKey: Int64]) = (nil, [:])
        if case .checked(let keys, let deletions) = loaded.cascades { (checked, pending) = (keys, deletions) }
        planner = BatchPlanner(
            counters: locked.counters, records: loaded.records, graph: loaded.graph, omitted: loaded.omitted,
            pendingCascade: pending, cascadeChecked: checked, schema: BatchPlanner.SchemaView(schema), assets: assets,
            limits: limits, sharing: loaded.sharing(in: locked.sharing),
            now: loaded.transaction.milliseconds)
    }

    /// Decides `request`, given the effects of the requests before it.
    ///
    /// - Returns: the reads that are needed first. If there are any, nothing was decided.
    mutating func decide(_ request: WriteRequest) -> MissingReads {
        if let row = executed[request.requestKey] {
            repeats.append((request, row))
            return MissingReads()
        }
        // When the batch is full, all further requests wait for the next batch, so that they stay in order.
        guard !planner.isFull, !planner.isClosed(request.zone.row) else {
            rest.returned.append(request)
            return MissingReads()
        }
        let (decision, changes) = planner.decide(request)
        switch decision {
        case .decided(let outcome):
            decided.append((request, outcome))
            // A copy of this request in the same batch is treated like any other repeated request.
            executed[request.requestKey] = RequestTable.Row(
                key: request.requestKey, bodyHash: request.bodyHash, outcome: OutcomeCodec.encode(outcome))
            log.append(changes, of: request)
        case .needsSchema(let additions): rest.awaitingSchema.append((request, additions))
        case .needsReads(let reads): return reads
        case .returned: rest.returned.append(request)
        case .postponed where request.isAlone || locked.isOfOneRequest:
            // The request was alone in its transaction and still too large, so it will never fit.
            let error = ServerError.tooMany(
                "bytes of records to be merged or deleted", limit: RecordTable.maxBytesRead,
                actual: loaded.records.values.reduce(0) { $0 + $1.size })
            rest.answered.append(AnsweredWrite(request, .refused(error)))
        case .postponed:
            var alone = request
            alone.isAlone = true
            rest.returned.append(alone)
        }
        return MissingReads()
    }

    /// The rows of the change log.
    var logRows: [ChangeLogRow] { log.rows(at: loaded.transaction.milliseconds) }

    /// Returns the result for all requests. It is valid once the batch has been committed.
    ///
    /// - Parameter rows: ``logRows``.
    func result(log rows: [ChangeLogRow], tokens: ZoneTokenIssuer) -> WriteResult {
        var result = rest
        result.answered += decided.map { AnsweredWrite($0.request, .executed($0.outcome, schema)) }
        let current = CurrentRecords(records: planner.records, omitted: loaded.omitted)
        result.answered += repeats.map { AnsweredWrite($0.request, .repeated($0.row, current, schema)) }
        result.events = log.events(rows, xid: loaded.transaction.xid, tokens: tokens) {
            schema.environments[$0]?.rights
        }
        result.effectiveOperations = log.count
        return result
    }

    /// Returns the statements that write the batch; empty if nothing was decided.
    ///
    /// - Parameter rows: ``logRows``.
    func statements(log rows: [ChangeLogRow]) -> [PostgresCall] {
        guard !decided.isEmpty else { return [] }
        let insert = RequestTable.record.insert(decided.compactMap { executed[$0.request.requestKey] })
        guard !planner.changed.isEmpty else { return [insert] }
        var write = ZoneWrite(from: loaded.records, to: planner.records, omitted: loaded.omitted) { schema.type($0) }
        for environment in locked.entered.environments {
            write.add(
                environment, records: locked.keys(planner.changed, in: environment),
                assets: locked.keys(planner.assetsChanged, in: environment),
                links: locked.keys(planner.linksChanged, in: environment),
                inShares: planner.mayShare)
            let cascades = planner.cascades.filter { !locked.keys([$0.key], in: environment).isEmpty }
            write.add(cascades, of: environment, startsJob: true)
        }
        let shares = locked.entered.environments.flatMap { environment in
            planner.shareWrites.statements(in: environment) { locked.isZone($0, in: environment) }
        }
        let advanced = planner.counters.filter { locked.counters[$0.key] != $0.value }
        return write.statements(counters: advanced.map { ($0.key, $0.value) }, log: rows) + shares + [insert]
    }
}
