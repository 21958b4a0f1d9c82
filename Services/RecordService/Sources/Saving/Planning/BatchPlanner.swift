package import CloudKitModel
internal import CloudKitWire
package import RecordStorage
package import ServiceMessages

/// Decides the outcomes of all operations of a batch in memory, from the data that was read under the zone locks. It
/// does not use the database, so every rule of `records/modify` (web-services 3.11) can be tested without one.
///
/// The outcome of each request is decided in four steps. ``OperationPlanner`` plans each operation separately,
/// ``SharingResolver`` and ``ReferenceResolver`` apply the sharing rules and the reference rules to all operations
/// together, and ``ChangeSequencer`` determines the order of the changes.
package struct BatchPlanner {
    /// The decision on one request.
    package enum Decision: Sendable {
        /// The outcome of the request is decided. Its effects are in ``records`` and in the returned changes.
        case decided(WriteOutcome)
        /// The schema must be extended first. Nothing was changed.
        case needsSchema([SchemaAddition])
        /// More data must be read first. Nothing was changed.
        case needsReads(MissingReads)
        /// A record that the request needs was too large to be read with this batch. Nothing was changed.
        case postponed
        /// The request belongs to the next batch, together with all later requests in its zone. Nothing was changed.
        case returned
        /// The sender must repeat the request later. Nothing was changed, and the outcome is not decided.
        case busy(ServerError)
    }

    /// The latest state of every record that was read or changed.
    package private(set) var records: [RecordKey: StoredRecord]
    /// The records that the batch changed.
    package private(set) var changed: Set<RecordKey> = []
    /// The changed records whose assets might have changed.
    package private(set) var assetsChanged: Set<RecordKey> = []
    /// The changed records whose links might have changed.
    package private(set) var linksChanged: Set<RecordKey> = []
    /// The deleted records with too many dependents for this transaction. A background job deletes the dependents.
    package private(set) var cascades: [Cascade] = []
    /// The references, updated with those that the batch has written.
    package private(set) var graph: ReferenceGraph
    /// The number of the last change of each zone.
    package private(set) var counters: [ZoneRow: Int64]
    /// The value of ``counters`` before the first request.
    private let initialCounters: [ZoneRow: Int64]
    /// The zones whose later requests belong to the next batch.
    private var closed: Set<ZoneRow> = []
    /// The approximate size, in bytes, of the values that the batch logs.
    private var loggedBytes = 0
    /// The approximate size of the records in the answers, in bytes.
    private var answeredBytes = 0
    /// The changes to shares that the batch writes.
    package private(set) var shareWrites = ShareWrites()

    /// The records whose fields were not read, because the batch would have grown too large.
    let omitted: Set<RecordKey>
    /// The records that are pending deletion, each with the change number of the deletion that causes it to be deleted.
    /// They count as deleted.
    let pendingCascade: [RecordKey: Int64]
    /// The records that have been checked for pending deletion; nil if no zone has records that are pending deletion.
    let cascadeChecked: Set<RecordKey>?
    let assets: AssetAdmission
    let schema: SchemaView
    let limits: Limits
    /// The data about shares that was read.
    let sharing: SharingKnowledge
    /// The current time, in milliseconds since 1970.
    let now: Int64

    /// Creates a planner for the data that was read.
    ///
    /// - Parameters:
    ///   - counters: the number of the last change of each locked zone.
    ///   - records: the records that the requests name, including tombstones, and the records that might be deleted
    ///     with them.
    ///   - graph: the references that were read.
    ///   - omitted: the records whose fields were not read, because the batch would have grown too large.
    ///   - pendingCascade: the records that are pending deletion, each with the change number of the deletion that
    ///     causes it to be deleted.
    ///   - cascadeChecked: the records that have been checked for pending deletion; nil if no zone has records that are
    ///     pending deletion.
    ///   - assets: decides which assets may be saved.
    ///   - now: the current time, in milliseconds since 1970.
    package init(
        counters: [ZoneRow: Int64], records: [RecordKey: StoredRecord], graph: ReferenceGraph = ReferenceGraph(),
        omitted: Set<RecordKey>, pendingCascade: [RecordKey: Int64] = [:], cascadeChecked: Set<RecordKey>? = nil,
        schema: SchemaView,
        assets: AssetAdmission, limits: Limits, sharing: SharingKnowledge = SharingKnowledge(), now: Int64
    ) {
        self.counters = counters
        initialCounters = counters
        self.records = records
        self.graph = graph
        self.omitted = omitted
        self.pendingCascade = pendingCascade
        self.cascadeChecked = cascadeChecked
        self.schema = schema
        self.assets = assets
        self.limits = limits
        self.sharing = sharing
        self.now = now
    }

    /// The approximate maximum size of the values that one batch logs, in bytes. Without this limit, many small changes
    /// to large records could make a batch arbitrarily large.
    private static let maxLoggedBytes = 8 << 20

    /// The approximate maximum size of the records in the answers of one batch, in bytes. Even a small change to a
    /// large record is answered with the whole record.
    private static let maxAnsweredBytes = 16 << 20

    /// Whether the logged values or the answers are so large that the next request must go into another batch.
    package var isFull: Bool { loggedBytes >= Self.maxLoggedBytes || answeredBytes >= Self.maxAnsweredBytes }

    /// Whether the next request in `zone` must go into another batch because an earlier request was returned, or
    /// because one changed shares. After such a change, the data about shares that was read is out of date.
    package func isClosed(_ zone: ZoneRow) -> Bool { shareWrites.zones.contains(zone) || closed.contains(zone) }

    /// Decides the outcome of `request`, given the effects of the requests before it.
    ///
    /// - Returns: the decision and the changes to be logged, in order.
    package mutating func decide(_ request: WriteRequest) -> (Decision, [ChangedRecord]) {
        let (decision, effects) = settle(request)
        guard let effects else {
            if case .returned = decision { closed.insert(request.zone.row) }
            return (decision, [])
        }
        take(effects)
        return (decision, effects.changes)
    }

    /// Returns the decision on `request` and its effects. The steps use copies of this planner, which are released when
    /// this method returns. If the copies still existed, applying the effects would copy the planner's collections for
    /// each request.
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
        // A request that is going to fail anyway must not extend the schema.
        let isLost = request.isAtomic && plans.contains(where: \.isRefused)
        if !additions.isEmpty, !isLost { return (.needsSchema(additions), nil) }
        switch resolve(plans, of: request) {
        case .resolved(let sharing, let resolver):
            let effects = ChangeSequencer.effects(of: resolver, sharing, request: request, base: self)
            return (.decided(WriteOutcome(operations: effects.outcomes, isAtomicFailure: false)), effects)
        case .lost(let plans):
            let refused = plans.map(\.outcome).map { outcome in
                outcome.isFailure ? outcome : .failed(.atomicFailure(), name: outcome.name, server: nil)
            }
            return (.decided(WriteOutcome(operations: refused, isAtomicFailure: true)), nil)
        case .missing(let missing): return (.needsReads(missing), nil)
        case .postponed: return (.postponed, nil)
        case .returned: return (.returned, nil)
        case .busy(let error): return (.busy(error), nil)
        }
    }

    private enum Resolution {
        case resolved(SharingResolver, ReferenceResolver)
        /// An operation of an atomic request was refused.
        case lost([PlannedOperation])
        case missing(MissingReads)
        case postponed
        case returned
        case busy(ServerError)
    }

    /// Applies the sharing rules and the reference rules to `plans` until no further operation is refused. Each round
    /// except the last either refuses an operation, or finds another root or share that must be deleted because it
    /// depends on a deleted record.
    private func resolve(_ plans: [PlannedOperation], of request: WriteRequest) -> Resolution {
        // If an operation of an atomic request fails on its own, the rules that concern several operations need not be
        // checked.
        if request.isAtomic, plans.contains(where: \.isRefused) { return .lost(plans) }
        var plans = plans
        var alsoDeleted: [RecordKey: Int] = [:]
        while true {
            var sharing = SharingResolver(request: request, plans: plans, alsoDeleted: alsoDeleted, base: self)
            let halt = sharing.resolve()
            // The data about shares that was read does not reflect earlier requests of the batch.
            if sharing.dependsOnReads, hasChanged(request.zone.row) { return .returned }
            switch halt {
            case .missing(let missing): return .missing(missing)
            case .postponed: return .postponed
            case .busy(let error): return .busy(error)
            case nil: break
            }
            let own = Array(sharing.plans.prefix(plans.count))
            if own.count(where: \.isRefused) > plans.count(where: \.isRefused) {
                if request.isAtomic { return .lost(own) }
                // The additional plans are discarded, because some of them might result from a refused operation.
                (plans, alsoDeleted) = (own, [:])
                continue
            }
            var resolver = ReferenceResolver(request: request, plans: sharing.plans, base: self)
            if let missing = resolver.resolve() { return .missing(missing) }
            let refusals = sharing.refusals(in: resolver).filter { !plans[$0.key].isRefused }
            for (position, refusal) in refusals { plans[position] = .refused(refusal) }
            if request.isAtomic, plans.contains(where: \.isRefused) { return .lost(plans) }
            guard refusals.isEmpty else {
                alsoDeleted = [:]
                continue
            }
            let dependents = sharing.sharesDeleted(by: resolver)
            if dependents.isEmpty { return .resolved(sharing, resolver) }
            alsoDeleted.merge(dependents) { first, _ in first }
        }
    }

    /// Whether an earlier request of the batch changed the zone.
    private func hasChanged(_ zone: ZoneRow) -> Bool { counters[zone] != initialCounters[zone] }

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
        shareWrites.add(effects.shares, in: effects.zone)
        loggedBytes += effects.loggedBytes
        answeredBytes += effects.outcomes.reduce(0) { $0 + $1.savedBytes }
        counters[effects.zone] = effects.seq
    }
}

extension BatchPlanner {
    /// Whether records of the batch might belong to shares.
    package var mayShare: Bool { !shareWrites.isEmpty || sharing.zones.values.contains { $0 != .none } }

    /// Returns the record unless it is deleted or pending deletion.
    func live(_ key: RecordKey) -> StoredRecord? {
        guard let record = records[key], !record.isTombstone, !isPendingCascade(key) else { return nil }
        return record
    }

    /// Whether the fields of a record were left out of the read and the batch has not changed the record since then.
    func isOmitted(_ key: RecordKey) -> Bool { omitted.contains(key) && !changed.contains(key) }

    /// Whether the record must be logged with its fields even though they were left out of the read.
    func lacksValue(_ key: RecordKey) -> Bool {
        guard isOmitted(key), let record = records[key], !record.isTombstone else { return false }
        return schema.identified(record.type)?.isWatched == true
    }

    /// Whether the record was pending deletion when it was read and the batch has not changed it since then.
    func isPendingCascade(_ key: RecordKey) -> Bool { pendingCascade[key] != nil && !changed.contains(key) }

    /// Returns the stamp for a change made by `request`.
    func stamp(of request: WriteRequest) -> StoredRecord.Stamp {
        StoredRecord.Stamp(milliseconds: now, user: request.context.user, device: request.context.client ?? "2")
    }
}
