internal import CloudKitModel
internal import RecordStorage
internal import ServiceMessages

/// Applies the reference rules to all operations of one request together (semantics 4.4). The resolver applies the
/// saves first, and then the deletions with all their dependents. Finally, it checks that every reference that requires
/// a target still has one. Therefore, the order of operations does not matter, and cycles are allowed.
///
/// An operation that fails here has no effects, so the remaining operations are checked again until none of them fails.
/// For an atomic request, the first failures are final.
struct ReferenceResolver {
    let request: WriteRequest
    /// The operations. Operations that fail become refusals.
    private(set) var plans: [PlannedOperation]
    /// The records that are deleted along with others, in the order in which they were found.
    private(set) var dependents: [RecordKey] = []
    /// The position of the plan that causes each deletion.
    private(set) var causes: [RecordKey: Int] = [:]
    /// Whether there are too many dependents for one transaction. If so, a background job deletes them.
    private(set) var isTooLarge = false

    let base: BatchPlanner
    var missing = MissingReads()

    init(request: WriteRequest, plans: [PlannedOperation], base: BatchPlanner) {
        self.request = request
        self.plans = plans
        self.base = base
    }

    /// Resolves the operations.
    ///
    /// - Returns: the data that must be read first; nil if everything is resolved.
    mutating func resolve() -> MissingReads? {
        // An atomic request that has already failed saves nothing.
        if request.isAtomic, plans.contains(where: \.isRefused) { return nil }
        guard plans.contains(where: \.concernsReferences) else { return nil }
        while true {
            let staged = StagedLinks(plans, graph: base.graph)
            let gone = closure(staged)
            var failures = missingTargets(gone, staged)
            failures.merge(crowdedTargets(gone)) { first, _ in first }
            failures.merge(foreignDependents(gone, staged)) { first, _ in first }
            // A failed save does not prevent its targets from being deleted: deletions are checked against the
            // remaining saves.
            if failures.isEmpty { failures = heldTargets(gone, staged) }
            guard missing.isEmpty else { return missing }
            if failures.isEmpty { return finish(gone) }
            for (position, error) in failures {
                plans[position] = .refused(Refusal(error, name: plans[position].outcome.name))
            }
            if request.isAtomic { return nil }
        }
    }

    /// The records that the request deletes, together with their dependents; each has the position of the operation
    /// that deletes it.
    struct Gone {
        var roots: [RecordKey: Int] = [:]
        var dependents: [RecordKey] = []
        var isTooLarge = false
    }

    private mutating func closure(_ staged: StagedLinks) -> Gone {
        var gone = Gone()
        var queue: [RecordKey] = []
        for (position, plan) in plans.enumerated() {
            guard case .delete(let deletion) = plan else { continue }
            gone.roots[deletion.key] = position
            queue.append(deletion.key)
        }
        var next = 0
        while next < queue.count {
            let target = queue[next]
            next += 1
            guard let incoming = staged.incoming(to: target) else {
                missing.incoming.insert(target)
                continue
            }
            for incoming in incoming where incoming.link.action == .deleteSelf {
                let source = RecordKey(zone: target.zone, name: incoming.source)
                guard gone.roots[source] == nil, staged.saved.contains(source) || !base.isPendingCascade(source) else {
                    continue
                }
                gone.roots[source] = gone.roots[target]
                gone.dependents.append(source)
                queue.append(source)
            }
            if gone.dependents.count > base.limits.maxCascade {
                gone.isTooLarge = true
                break
            }
        }
        return gone
    }

    /// Returns errors for the saves whose named targets would not exist afterwards.
    private mutating func missingTargets(_ gone: Gone, _ staged: StagedLinks) -> [Int: ServerError] {
        var failures: [Int: ServerError] = [:]
        for (position, plan) in plans.enumerated() {
            guard case .save(let save) = plan, gone.roots[save.key] == nil else { continue }
            for link in save.named where mustExist(link, of: save) {
                let target = RecordKey(zone: save.key.zone, name: link.target)
                if isLive(target, gone, staged) == false {
                    failures[position] = .referenceTargetMissing(field: link.shownField, target: link.target)
                }
            }
        }
        return failures
    }

    /// - Returns: nil if the record must be read first.
    private mutating func isLive(_ key: RecordKey, _ gone: Gone, _ staged: StagedLinks) -> Bool? {
        if gone.roots[key] != nil { return false }
        if staged.saved.contains(key) || isOwnUserRecord(key) { return true }
        if base.changed.contains(key) || base.isPendingCascade(key) { return base.live(key) != nil }
        guard let target = base.graph.target(key) else {
            missing.targets.insert(key)
            return nil
        }
        return target.isLive
    }

    /// Whether `key` is the user's own user record, which exists even if it was never saved (semantics 1.4).
    private func isOwnUserRecord(_ key: RecordKey) -> Bool {
        request.isInDefaultZone && AccessRules(request.context, customRoles: []).isOwnUserRecord(key.name)
    }

    /// Returns errors for the deletions of records to which remaining records still refer, either through a `VALIDATE`
    /// reference or as their parent.
    private mutating func heldTargets(_ gone: Gone, _ staged: StagedLinks) -> [Int: ServerError] {
        var failures: [Int: ServerError] = [:]
        for (target, position) in gone.roots where failures[position] == nil {
            // Above the limit, not all dependents are known, so only records that are deleted by name are checked.
            if gone.isTooLarge, plans[position].deletedKey != target { continue }
            let incoming = staged.incoming(to: target) ?? []
            let leaving = gone.isTooLarge ? Set(incoming.filter { $0.link.action == .deleteSelf }.map(\.source)) : []
            let holder = incoming.first { incoming in
                let source = RecordKey(zone: target.zone, name: incoming.source)
                return incoming.link.action != .deleteSelf && gone.roots[source] == nil
                    && !base.isPendingCascade(source)
                    && !leaving.contains(incoming.source)
            }
            if let holder, isUnchecked(RecordKey(zone: target.zone, name: holder.source)) { continue }
            if let holder {
                failures[position] =
                    isHidden(RecordKey(zone: target.zone, name: holder.source), staged)
                    ? .notPermittedByShare()
                    : .stillReferenced(target.name, by: holder.source, field: holder.link.shownField)
            }
        }
        return failures
    }

    /// Returns whether the record must still be checked for pending deletion. If so, adds the check to the missing
    /// reads. No check is needed if no zone has records that are pending deletion.
    private mutating func isUnchecked(_ key: RecordKey) -> Bool {
        guard let checked = base.cascadeChecked, !checked.contains(key) else { return false }
        missing.cascadeChecks.insert(key)
        return true
    }

    /// Returns errors for the saves that would make a record own more records than allowed. The references that the
    /// request removes are counted only if the limit would otherwise be exceeded.
    private mutating func crowdedTargets(_ gone: Gone) -> [Int: ServerError] {
        var added: [RecordKey: [(position: Int, link: RecordLink)]] = [:]
        for (position, plan) in plans.enumerated() {
            guard case .save(let save) = plan, gone.roots[save.key] == nil, save.links.contains(where: \.isOwning)
            else { continue }
            for link in save.links.subtracting(save.before) where link.isOwning {
                added[RecordKey(zone: save.key.zone, name: link.target), default: []].append((position, link))
            }
        }
        var failures: [Int: ServerError] = [:]
        let limit = base.limits.maxOwningReferences
        for (target, added) in added {
            guard let owned = base.graph.target(target)?.owned else {
                missing.targets.insert(target)
                missing.owners.insert(target)
                continue
            }
            guard owned + added.count > limit else { continue }
            let unread = gone.dependents.filter { base.records[$0] == nil }
            if !unread.isEmpty, !gone.isTooLarge {
                missing.records.formUnion(unread)
                continue
            }
            let count = owned + added.count - freed(target, gone)
            for (position, link) in added.suffix(max(0, count - limit)) {
                // A participant might not be allowed to see all of the references.
                let actual = request.isShared ? limit + 1 : count
                failures[position] = .tooManyOwningReferences(field: link.shownField, limit: limit, actual: actual)
            }
        }
        return failures
    }

    /// Returns the number of references to `target` that the request removes.
    private func freed(_ target: RecordKey, _ gone: Gone) -> Int {
        func count(_ links: Set<RecordLink>) -> Int { links.count { $0.isOwning && $0.target == target.name } }
        var freed = 0
        for case .save(let save) in plans where gone.roots[save.key] == nil {
            freed += count(save.before.subtracting(save.links))
        }
        for key in gone.roots.keys {
            guard let record = base.live(key), let type = base.schema.identified(record.type) else { continue }
            freed += count(type.links(in: record.fields, parent: record.parent))
        }
        return freed
    }

    private mutating func finish(_ gone: Gone) -> MissingReads? {
        isTooLarge = gone.isTooLarge
        dependents = gone.isTooLarge ? [] : gone.dependents
        causes = gone.roots
        let saved = Set(plans.compactMap(\.savedKey))
        missing.records = Set(dependents.filter { base.records[$0] == nil && !saved.contains($0) })
        guard missing.isEmpty else { return missing }
        // If the deletion of a dependent is to be logged with values that have not been read, all dependents are left
        // to the background job. The job reads only as many dependents at a time as fit in memory.
        if dependents.contains(where: { base.lacksValue($0) && !saved.contains($0) }) {
            (isTooLarge, dependents) = (true, [])
        }
        return nil
    }
}

/// The links of a request's saves, overlaid on those of the batch.
struct StagedLinks {
    private(set) var saved: Set<RecordKey> = []
    private var links: [RecordKey: Set<RecordLink>] = [:]
    private var sources: [RecordKey: Set<RecordKey>] = [:]
    private let graph: ReferenceGraph

    init(_ plans: [PlannedOperation], graph: ReferenceGraph) {
        self.graph = graph
        for plan in plans {
            switch plan {
            case .save(let save):
                saved.insert(save.key)
                guard save.touchesLinks else { continue }
                links[save.key] = save.links
                for link in save.links {
                    sources[RecordKey(zone: save.key.zone, name: link.target), default: []].insert(save.key)
                }
            case .delete, .refused, .idle: continue
            }
        }
    }

    /// Returns the references to `target` after the saves; nil if they were not read.
    func incoming(to target: RecordKey) -> [ReferenceGraph.Incoming]? {
        guard var incoming = graph.incoming(to: target) else { return nil }
        guard !links.isEmpty else { return incoming }
        incoming.removeAll { links[RecordKey(zone: target.zone, name: $0.source)] != nil }
        for source in sources[target] ?? [] {
            for link in links[source] ?? [] where link.target == target.name {
                incoming.append(ReferenceGraph.Incoming(source: source.name, link: link))
            }
        }
        return incoming
    }
}

extension PlannedOperation {
    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// Whether the operation must be checked together with the others.
    fileprivate var concernsReferences: Bool {
        switch self {
        case .save(let save): save.touchesLinks
        case .delete: true
        case .refused, .idle: false
        }
    }

    var savedKey: RecordKey? { if case .save(let save) = self { save.key } else { nil } }
    fileprivate var deletedKey: RecordKey? { if case .delete(let deletion) = self { deletion.key } else { nil } }
}

extension PlannedSave {
    /// The record's links before the save; none if its fields were not read.
    var before: Set<RecordLink> {
        isOmitted ? [] : type.links(in: current?.fields, parent: current?.parent)
    }

    /// Whether the record has links after the save, or might have had links before it.
    var touchesLinks: Bool { !links.isEmpty || isOmitted || !before.isEmpty }
}
