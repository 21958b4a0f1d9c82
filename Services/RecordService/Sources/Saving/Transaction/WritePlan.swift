internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
package import RequestServing
internal import ServiceMessages

/// The inside of a transaction, step by step: what to read, what it means, what to write.
struct WritePlan {
    /// A statement, and what is done with its answer.
    struct Read {
        let call: PostgresCall
        let take: (inout WritePlan, PostgresResult) throws -> Void
    }

    private let requests: [WriteRequest]
    private let assets: AssetAdmission
    private let limits: Limits
    let environments: [EnvironmentRow]
    /// The transaction's time by the database's clock, milliseconds since 1970: one clock for all instances, and the
    /// one by which partitions are made.
    private var now: Int64 = 0
    private var xid: UInt64 = 0
    /// Environments whose schema is being changed: none of their requests is decided.
    private var closed: Set<EnvironmentRow> = []
    private var counters: [ZoneRow: Int64] = [:]
    private var records: [RecordKey: StoredRecord] = [:]
    private var omitted: Set<RecordKey> = []
    private var graph = ReferenceGraph()
    /// Locked zones with deletions going on, until it is known which records are about to go.
    private var cascading: Set<ZoneRow> = []
    private var doomed: [RecordKey: Int64] = [:]
    /// Records of which is known whether they are doomed; nil: no zone has deletions going on.
    private var judged: Set<RecordKey>?
    /// Requests that were executed before.
    private var earlier: [RequestTable.Key: RequestTable.Row] = [:]
    /// Those, and the ones that are decided now.
    private var executed: [RequestTable.Key: RequestTable.Row] = [:]
    /// The requests whose zone is not there or not to be had.
    private var unplanned = WriteTransaction.Result()
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

    /// The zones of the requests.
    var zones: [ZoneRow] { Array(Set(requests.map(\.zone.row))) }

    /// The records that were read, with their fields.
    var recordsRead: [StoredRecord] {
        closed.isEmpty ? Array(records.values) : records.filter { counters[$0.key.zone] != nil }.map(\.value)
    }

    /// The types that answers to repeats name.
    var typesInUse: Set<RecordTypeID> {
        let closed = Set(closed.map(\.rawValue))
        return earlier.values.reduce(into: []) { types, row in
            if !closed.contains(row.key.environment) { types.formUnion(OutcomeCodec.types(in: row.outcome)) }
        }
    }

    /// What is read before anything is decided, under the locks of zones and schemas.
    func reads() -> [Read] {
        var reads = [
            Read(call: PostgresCall("select pg_current_xact_id(), now()")) { plan, result in
                plan.xid = result.first?.xid8(0) ?? 0
                plan.now = result.first?.milliseconds(1) ?? 0
            },
            Read(call: RequestTable.record.read(requests.map(\.requestKey))) { $0.earlier = RequestTable.rows($1) },
        ]
        for environment in environments {
            // In the order of the requests: the first request's records are never those left out of a large read.
            let (named, deleted, targets, owners) = keys(in: environment)
            reads.append(read(named, in: environment))
            if !deleted.isEmpty { reads.append(readIncoming(to: deleted, in: environment)) }
            if !targets.isEmpty { reads.append(readTargets(targets, owners: owners, in: environment)) }
        }
        return reads
    }

    /// The records that the requests name, those of them that are to be deleted, those that are pointed to, and those of
    /// these that will own more than before.
    private func keys(
        in environment: EnvironmentRow
    ) -> (named: [RecordKey], deleted: [RecordKey], targets: [RecordKey], owners: Set<RecordKey>) {
        var (seen, seenTargets, owners): (Set<RecordKey>, Set<RecordKey>, Set<RecordKey>) = ([], [], [])
        var (named, deleted, targets): ([RecordKey], [RecordKey], [RecordKey]) = ([], [], [])
        for request in requests where request.zone.database.environment == environment {
            for key in request.keys where seen.insert(key).inserted { named.append(key) }
            for operation in request.body.operations {
                if operation.kind?.isDelete == true {
                    if let name = operation.record.recordName {
                        deleted.append(RecordKey(zone: request.zone.row, name: name))
                    }
                    continue
                }
                for link in operation.record.links {
                    let key = RecordKey(zone: request.zone.row, name: link.target)
                    if seenTargets.insert(key).inserted { targets.append(key) }
                    // Others may point to it already, and nobody counts what does not change.
                    if link.action == .deleteSelf, operation.kind == .create { owners.insert(key) }
                }
            }
        }
        return (named, deleted, targets, owners)
    }

    private func read(_ keys: [RecordKey], in environment: EnvironmentRow) -> Read {
        Read(call: RecordTable(environment).read(keys)) { plan, result in
            for (zone, record, isOmitted) in try RecordTable.records(result) {
                let key = RecordKey(zone: zone, name: record.name)
                plan.records[key] = record
                if isOmitted { plan.omitted.insert(key) }
            }
        }
    }

    private func readIncoming(to keys: [RecordKey], in environment: EnvironmentRow) -> Read {
        // One more than may go: to know that there are too many; of holders one more than can go in a request.
        let holders = limits.maxCascade + limits.maxOperationsPerRequest + 1
        let call = ReferenceTable(environment).incoming(to: keys, limit: limits.maxCascade + 1, holders: holders)
        return Read(call: call) { plan, result in ReferenceTable.load(incoming: result, into: &plan.graph) }
    }

    private func readTargets(_ keys: [RecordKey], owners: Set<RecordKey>, in environment: EnvironmentRow) -> Read {
        let limit = limits.maxOwningReferences + 1
        return Read(call: ReferenceTable(environment).targets(keys, owners: owners, limit: limit)) { plan, result in
            ReferenceTable.load(targets: result, into: &plan.graph)
        }
    }

    /// What is missing for a decision: nothing, as a rule.
    private func reads(of missing: MissingReads) -> [Read] {
        environments.flatMap { environment in
            let zones = Set(requests.filter { $0.zone.database.environment == environment }.map(\.zone.row))
            func inside(_ keys: Set<RecordKey>) -> [RecordKey] { keys.filter { zones.contains($0.zone) } }
            let (records, incoming, targets) = (
                inside(missing.records), inside(missing.incoming), inside(missing.targets)
            )
            return (records.isEmpty ? [] : [read(records, in: environment)])
                + (incoming.isEmpty ? [] : [readIncoming(to: incoming, in: environment)])
                + (targets.isEmpty ? [] : [readTargets(targets, owners: missing.owners, in: environment)])
                + judge(inside(missing.judgements), in: environment)
        }
    }

    /// Takes in what `reads` brought.
    mutating func load(_ results: [PostgresResult], of reads: [Read]) throws {
        for (read, result) in zip(reads, results) { try read.take(&self, result) }
    }

    /// Takes in which zones are locked, and of which environments the schemas.
    mutating func take(
        _ locked: [ZoneRow: ZoneTable.Locked], in entered: [EnvironmentRow], waiting: Bool
    ) {
        closed = Set(environments).subtracting(entered)
        for request in requests {
            let zone = request.zone.row
            if closed.contains(request.zone.database.environment) {
                unplanned.skipped.insert(zone)
                unplanned.returned.append(request)
            } else if let lock = locked[zone], !lock.isDeleted {
                counters[zone] = lock.changeSeq
                if lock.isCascading { cascading.insert(zone) }
            } else if locked[zone] != nil || waiting {
                unplanned.homeless.append(request)
            } else {
                unplanned.skipped.insert(zone)
                unplanned.returned.append(request)
            }
        }
    }

    /// Decides the requests.
    ///
    /// - Returns: what has to be read first; then nothing was decided.
    mutating func decide(schema: SchemaSnapshot) -> [Read] {
        if let reads = readsOfDoomed() { return reads }
        let view = BatchPlanner.SchemaView(
            named: { schema.type($0, in: $1) }, identified: { schema.type($0) },
            roles: { schema.roles(of: $0, in: $1) })
        var planner = BatchPlanner(
            counters: counters, records: records, graph: graph, omitted: omitted, doomed: doomed, judged: judged,
            schema: view, assets: assets, limits: limits, now: now)
        var missing = MissingReads()
        var rows = earlier
        (outcome, decided, repeats, log) = (unplanned, [], [], ChangeCollector())
        for request in requests where counters[request.zone.row] != nil {
            if let row = rows[request.requestKey] {
                repeats.append((request, row))
                continue
            }
            // Nobody overtakes: whatever comes after a full batch is the next one's.
            if planner.isFull {
                outcome.returned.append(request)
                continue
            }
            let (decision, changes) = planner.decide(request)
            switch decision {
            case .decided(let outcome):
                decided.append((request, outcome))
                // A copy of the same request in the same batch is a repeat like any other.
                rows[request.requestKey] = RequestTable.Row(
                    key: request.requestKey, bodyHash: request.bodyHash, outcome: OutcomeCodec.encode(outcome))
                log.append(changes, of: request)
            case .needsSchema(let additions):
                outcome.unlearnt.append((request, additions))
            case .needsReads(let reads):
                missing.formUnion(reads)
            case .postponed where request.isAlone || requests.count == 1:
                // Alone and still too large: it never fits.
                let error = ServerError.tooMany(
                    "bytes of records to be merged or deleted", limit: RecordTable.maxBytesRead,
                    actual: records.values.reduce(0) { $0 + $1.size })
                outcome.answered.append(AnsweredWrite(request, Answer(error: error, context: request.context)))
            case .postponed:
                var alone = request
                alone.isAlone = true
                outcome.returned.append(alone)
            }
        }
        guard missing.isEmpty else { return reads(of: missing) }
        self.planner = planner
        executed = rows
        logRows = log.rows(at: now)
        return []
    }

    /// In zones whose deletions are still going on, which of the records at hand are about to go; nil where that is known.
    private mutating func readsOfDoomed() -> [Read]? {
        guard !cascading.isEmpty else { return nil }
        let zones = cascading
        cascading = []
        judged = []
        return environments.flatMap { environment in
            let names = keys(in: environment)
            return judge((names.named + names.targets).filter { zones.contains($0.zone) }, in: environment)
        }
    }

    private func judge(_ keys: [RecordKey], in environment: EnvironmentRow) -> [Read] {
        Dictionary(grouping: Set(keys), by: \.zone).sorted { $0.key < $1.key }.map { zone, keys in
            let call = CascadeTable(environment).doomed(keys.map(\.name), in: zone)
            return Read(call: call) { plan, result in
                plan.judged?.formUnion(keys)
                for row in result { plan.doomed[RecordKey(zone: zone, name: row.recordName(0))] = row.int64(1) }
            }
        }
    }

    func writes(schema: SchemaSnapshot) -> [PostgresCall] {
        guard let planner, !decided.isEmpty else { return [] }
        var calls: [PostgresCall] = []
        if !planner.changed.isEmpty {
            for environment in environments {
                let zones = Set(requests.filter { $0.zone.database.environment == environment }.map(\.zone.row))
                let changed = planner.changed.filter { zones.contains($0.zone) }
                    .compactMap { key in planner.records[key].map { (key.zone, $0) } }
                if !changed.isEmpty {
                    calls.append(
                        RecordTable(environment).write(changed) { record in
                            schema.type(record.type)?.tokens(of: record.fields)
                        })
                }
                let uses = AssetUseChanges(
                    of: planner.assetsChanged.lazy.filter { zones.contains($0.zone) }, from: records,
                    to: planner.records, omitted: omitted, type: { schema.type($0) })
                calls += AssetUseTable(environment).write(uses)
                let links = ReferenceChanges(
                    of: planner.linksChanged.lazy.filter { zones.contains($0.zone) }, from: records,
                    to: planner.records, omitted: omitted, type: { schema.type($0) })
                calls += ReferenceTable(environment).write(links)
                let cascades = planner.cascades.filter { zones.contains($0.key.zone) }
                if !cascades.isEmpty { calls += CascadeTable(environment).begin(cascades) }
            }
            let advanced = planner.counters.filter { counters[$0.key] != $0.value }
            calls.append(ZoneTable.advance(advanced.map { ($0.key, $0.value) }))
            calls.append(ChangeLog.insert(logRows))
        }
        calls.append(RequestTable.record.insert(decided.compactMap { executed[$0.request.requestKey] }))
        return calls
    }

    func result(schema: SchemaSnapshot, tokens: ZoneTokenIssuer, downloads: AssetDownloads?) -> WriteTransaction.Result
    {
        var result = outcome
        result.answered += decided.map { request, outcome in
            AnsweredWrite(request) { [limits] in
                ModifyAnswer(
                    request: request, schema: schema, downloads: downloads, maxBytes: limits.maxAnswerBytes
                ).answer(outcome)
            }
        }
        let records = planner?.records ?? [:]
        result.answered += repeats.map { request, row in
            AnsweredWrite(request) { [limits, omitted] in
                ModifyAnswer(
                    request: request, schema: schema, downloads: downloads, maxBytes: limits.maxAnswerBytes
                ).again(row) { key in
                    omitted.contains(key) ? nil : records[key]
                }
            }
        }
        result.events = log.events(logRows, xid: xid, tokens: tokens) { schema.environments[$0]?.rights }
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

    private func generatedName(_ position: Int) -> RecordName {
        OperationIdentity(request: identity, position: position).recordName
    }
}
