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
    /// The requests for zones that their users may not see.
    private var strangers: [RequestTable.Key] = []
    private var log = ChangeCollector()
    /// The result for the requests that are in neither ``decided`` nor ``repeats``.
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
            limits: limits, sharing: loaded.sharing(in: locked),
            now: loaded.transaction.milliseconds)
    }

    /// Decides the outcome of `request`, given the effects of the requests before it.
    ///
    /// - Returns: the reads that are needed before the outcome can be decided; empty if no reads are needed.
    mutating func decide(_ request: WriteRequest) -> MissingReads {
        if let row = executed[request.requestKey] {
            again(request, row)
            return MissingReads()
        }
        // When the batch is full, all further requests wait for the next batch, so that they stay in order.
        guard !planner.isFull, !planner.isClosed(request.zone.row) else {
            rest.returned.append(request)
            return MissingReads()
        }
        guard !request.isShared || planner.access(of: request) != nil else {
            refuse(request)
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
        // Without a row, a repeat with the same ID is decided anew.
        case .busy(let error): rest.answered.append(AnsweredWrite(request, .refused(error)))
        case .postponed where request.isAlone || locked.isOfOneRequest:
            if !loaded.hasReadVisible, let reads = planner.visibleReads(of: request) { return reads }
            // The request was alone in its transaction and still too large, so it will never fit.
            let error = ServerError.tooMany(
                "bytes of records to be merged or deleted", limit: RecordTable.maxBytesRead,
                actual: planner.bytes(of: loaded.records.values, for: request))
            rest.answered.append(AnsweredWrite(request, .refused(error)))
        case .postponed:
            var alone = request
            alone.isAlone = true
            rest.returned.append(alone)
        }
        return MissingReads()
    }

    /// Answers a repeated request. The answer to a participant depends on the participant's current access.
    private mutating func again(_ request: WriteRequest, _ row: RequestTable.Row) {
        guard request.isShared else { return repeats.append((request, row)) }
        if planner.isClosed(request.zone.row) {
            rest.returned.append(request)
        } else if planner.access(of: request) == nil, row.bodyHash == request.bodyHash {
            rest.answered.append(AnsweredWrite(request, .refused(.zoneNotFound(request.zoneID))))
        } else {
            repeats.append((request, row))
        }
    }

    /// Refuses a request of a user who may not see the zone, in the same way as ``MissingZoneOperation`` refuses a
    /// request for a zone that does not exist.
    private mutating func refuse(_ request: WriteRequest) {
        let error = ServerError.zoneNotFound(request.zoneID)
        rest.answered.append(AnsweredWrite(request, .refused(error)))
        strangers.append(request.requestKey)
        executed[request.requestKey] = RequestTable.Row(
            key: request.requestKey, bodyHash: request.bodyHash, outcome: OutcomeCodec.encode(refusal: error))
    }

    /// The rows of the change log.
    var logRows: [ChangeLogRow] { log.rows(at: loaded.transaction.milliseconds) }

    /// Returns the result for all requests. The result is valid only after the batch has been committed.
    ///
    /// - Parameters:
    ///   - rows: ``logRows``.
    ///   - audiences: the result of ``audiences``.
    func result(
        log rows: [ChangeLogRow], tokens: ZoneTokenIssuer, audiences: [ZoneRow: AudienceTable.Versions]
    ) -> WriteResult {
        var result = rest
        result.answered += decided.map { AnsweredWrite($0.request, .executed($0.outcome, schema)) }
        let current = CurrentRecords(records: planner.records, omitted: loaded.omitted)
        result.answered += repeats.map { request, row in
            AnsweredWrite(request, .repeated(row, current.shown(to: planner.access(of: request)), schema))
        }
        result.events = log.events(rows, xid: loaded.transaction.xid, tokens: tokens, audiences: audiences) {
            schema.environments[$0]?.rights
        }
        result.effectiveOperations = log.count
        return result
    }

    /// The statement that reads the audience versions of the shares affected by the batch; nil if no share was
    /// affected. The statement must follow the writes.
    var audiences: PostgresCall? {
        let shares = log.shares
        let zones = log.zones.filter { locked.sharing[$0] == .wholeZone }
        return shares.isEmpty && zones.isEmpty ? nil : AudienceTable.versions(of: shares, zones: Array(zones))
    }

    /// Returns the statements that write the batch; empty if ``decided`` and ``strangers`` are empty.
    ///
    /// - Parameter rows: ``logRows``.
    func statements(log rows: [ChangeLogRow]) -> [PostgresCall] {
        guard !decided.isEmpty || !strangers.isEmpty else { return [] }
        let keys = decided.map(\.request.requestKey) + strangers
        let insert = RequestTable.record.insert(keys.compactMap { executed[$0] } + decided.flatMap(\.request.markRows))
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

extension WriteRequest {
    /// The rows of ``marks``.
    fileprivate var markRows: [RequestTable.Row] {
        marks.map { mark in
            var key = requestKey
            key.messageID = mark
            return RequestTable.Row(key: key, bodyHash: bodyHash, outcome: [])
        }
    }
}
