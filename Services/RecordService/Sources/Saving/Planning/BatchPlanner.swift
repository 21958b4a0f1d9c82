package import CloudKitModel
internal import CloudKitWire
package import RecordStorage
package import ServiceMessages

/// Decides every operation of a batch in memory, against what was read under the zone locks. A value that does not use
/// the database, so that every rule of `records/modify` (web-services 3.11) is tested without one.
///
/// Each request goes through three steps: the result of each operation by itself (``OperationPlanner``), the effect of
/// references on all of them together (``ReferenceResolver``), and the order in which they change the zone
/// (``ChangeSequencer``).
package struct BatchPlanner {
    /// The decision on one request.
    package enum Decision: Sendable {
        /// The outcomes. Its effects are in ``records`` and the returned changes.
        case decided(WriteOutcome)
        /// The schema must be extended first; nothing was changed.
        case needsSchema([SchemaAddition])
        /// Something must be read first; nothing was changed.
        case needsReads(MissingReads)
        /// A record that it needs was too large to be read with this batch; nothing was changed.
        case postponed
    }

    /// The newest state of every record read or written.
    package private(set) var records: [RecordKey: StoredRecord]
    /// The records that the batch changed.
    package private(set) var changed: Set<RecordKey> = []
    /// Those of them whose assets may have changed.
    package private(set) var assetsChanged: Set<RecordKey> = []
    /// Those of them whose links may have changed.
    package private(set) var linksChanged: Set<RecordKey> = []
    /// Deleted records with too many dependents for this transaction, which a background job deletes.
    package private(set) var cascades: [Cascade] = []
    /// The references.
    package private(set) var graph: ReferenceGraph
    /// The zones' counters.
    package private(set) var counters: [ZoneRow: Int64]
    /// The approximate bytes of values that the batch logs.
    private var loggedBytes = 0
    /// The approximate bytes of records in the answers.
    private var answeredBytes = 0

    /// Records whose fields were left out because the batch would have grown too large.
    let omitted: Set<RecordKey>
    /// Records that a background job is about to delete, each with the number of the deletion that it depends on. They
    /// count as deleted.
    let pendingCascade: [RecordKey: Int64]
    /// Records for which it is known whether a background job is about to delete them; nil if no zone has such records.
    let cascadeChecked: Set<RecordKey>?
    let assets: AssetAdmission
    let schema: SchemaView
    let limits: Limits
    /// Milliseconds since 1970.
    let now: Int64

    /// Creates a planner over what was read.
    ///
    /// - Parameters:
    ///   - counters: the locked zones' counters.
    ///   - records: the records that the requests name, tombstones included, and those that may be deleted with them.
    ///   - graph: the references that were read.
    ///   - omitted: records whose fields were left out because the batch would have grown too large.
    ///   - pendingCascade: records that a background job is about to delete, each with the number of the deletion.
    ///   - cascadeChecked: records for which that is known; nil if no zone has such records.
    ///   - assets: decides which assets may be saved.
    ///   - now: milliseconds since 1970.
    package init(
        counters: [ZoneRow: Int64], records: [RecordKey: StoredRecord], graph: ReferenceGraph = ReferenceGraph(),
        omitted: Set<RecordKey>, pendingCascade: [RecordKey: Int64] = [:], cascadeChecked: Set<RecordKey>? = nil,
        schema: SchemaView,
        assets: AssetAdmission, limits: Limits, now: Int64
    ) {
        self.counters = counters
        self.records = records
        self.graph = graph
        self.omitted = omitted
        self.pendingCascade = pendingCascade
        self.cascadeChecked = cascadeChecked
        self.schema = schema
        self.assets = assets
        self.limits = limits
        self.now = now
    }

    /// The approximate bytes of values that one batch logs: many small changes of large records may come together.
    private static let maxLoggedBytes = 8 << 20

    /// The approximate bytes of records that one batch answers. Each of many small changes of one large record is
    /// answered with the record as that change left it.
    private static let maxAnsweredBytes = 16 << 20

    /// Whether the batch logs or answers so much that the next request belongs to another batch.
    package var isFull: Bool { loggedBytes >= Self.maxLoggedBytes || answeredBytes >= Self.maxAnsweredBytes }

    /// Decides `request`, on top of the effects of the requests before it.
    ///
    /// - Returns: the decision and the changes to be logged, in order.
    package mutating func decide(_ request: WriteRequest) -> (Decision, [ChangedRecord]) {
        let (decision, effects) = settle(request)
        guard let effects else { return (decision, []) }
        take(effects)
        return (decision, effects.changes)
    }

    /// Returns the decision on `request` and its effects. The steps use copies of this planner, which are released when
    /// this returns; otherwise each request would copy what all of them have changed.
    private func settle(_ request: WriteRequest) -> (Decision, RequestEffects?) {
        let operations = OperationPlanner(request: request, base: self)
        var plans: [PlannedOperation] = []
        plans.reserveCapacity(request.body.operations.count)
        var additions: [SchemaAddition] = []
        for position in request.body.operations.indices {
            switch operations.plan(position) {
            case .planned(let plan): plans.append(plan)
            case .needsSchema(let addition, let name):
                additions.append(addition)
                plans.append(.idle(name: name))
            case .postponed: return (.postponed, nil)
            }
        }
        // A request that fails anyway does not extend the schema.
        let isLost = request.isAtomic && plans.contains(where: \.isRefused)
        if !additions.isEmpty, !isLost { return (.needsSchema(additions), nil) }
        var resolver = ReferenceResolver(request: request, plans: plans, base: self)
        if let missing = resolver.resolve() { return (.needsReads(missing), nil) }
        let outcomes = resolver.plans.map(\.outcome)
        if request.isAtomic, outcomes.contains(where: \.isFailure) {
            let refused = outcomes.map { outcome in
                outcome.isFailure ? outcome : .failed(.atomicFailure(), name: outcome.name, server: nil)
            }
            return (.decided(WriteOutcome(operations: refused, isAtomicFailure: true)), nil)
        }
        let effects = ChangeSequencer.effects(of: resolver, request: request, base: self)
        return (.decided(WriteOutcome(operations: effects.outcomes, isAtomicFailure: false)), effects)
    }

    private mutating func take(_ effects: RequestEffects) {
        for (key, record) in effects.overlay {
            records[key] = record
            changed.insert(key)
        }
        assetsChanged.formUnion(effects.assetsChanged)
        for written in effects.links {
            graph.write(written.links, of: written.key, before: written.before)
            linksChanged.insert(written.key)
        }
        cascades += effects.cascades
        loggedBytes += effects.loggedBytes
        answeredBytes += effects.outcomes.reduce(0) { $0 + $1.savedBytes }
        counters[effects.zone] = effects.seq
    }
}

extension BatchPlanner {
    /// Returns the record unless it is deleted or pending deletion.
    func live(_ key: RecordKey) -> StoredRecord? {
        guard let record = records[key], !record.isTombstone, !isPendingCascade(key) else { return nil }
        return record
    }

    /// Whether the fields of a record were left out of the read, and it was not written since.
    func isOmitted(_ key: RecordKey) -> Bool { omitted.contains(key) && !changed.contains(key) }

    /// Whether the record would have to be logged with its fields, but they were left out of the read.
    func lacksValue(_ key: RecordKey) -> Bool {
        guard isOmitted(key), let record = records[key], !record.isTombstone else { return false }
        return schema.identified(record.type)?.isWatched == true
    }

    /// Whether a background job is about to delete the record, which was not written since.
    func isPendingCascade(_ key: RecordKey) -> Bool { pendingCascade[key] != nil && !changed.contains(key) }

    /// The stamp of a change by `request`.
    func stamp(of request: WriteRequest) -> StoredRecord.Stamp {
        StoredRecord.Stamp(milliseconds: now, user: request.context.user, device: request.context.client ?? "2")
    }
}
