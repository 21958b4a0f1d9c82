internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import RecordStorage

/// Decides how the records of a query are found, and which indexes would help.
///
/// PostgreSQL, which has statistics about the data, chooses the best of several indexes. The planner decides which
/// queries are refused, which indexes are requested, and whether the work needs a limit because no index bounds it.
struct QueryPlanner {
    private let target: QueryTarget
    private let predicate: BoundPredicate
    private let sorts: [BoundSort]
    private let needs: [IndexNeed]
    /// The index that the first sort needs.
    private let order: IndexNeed?
    /// The index needed to walk over the type's records. It is used if no other index helps.
    private let walk: IndexNeed
    private let declaresSystemFields: Bool

    /// Creates a planner for a query. An aggregation has no sorts.
    ///
    /// - Parameter declaresSystemFields: whether the indexes on system fields count as declared, as they do in
    ///   development.
    init(_ target: QueryTarget, _ predicate: BoundPredicate, sorts: [BoundSort], declaresSystemFields: Bool) {
        self.target = target
        self.predicate = predicate
        self.sorts = sorts
        needs = predicate.comparisons.map { IndexNeed($0, of: target.type) }
        order = sorts.first.map { IndexNeed(sortedBy: $0, of: target.type) }
        walk = IndexNeed(walking: target.type)
        self.declaresSystemFields = declaresSystemFields
    }

    /// Checks that every field has the index that CloudKit requires (``Profile/compat``).
    ///
    /// - Throws: `BAD_REQUEST` with CloudKit's text for the first field that lacks its index.
    func checkDeclared() throws(ServerError) {
        for need in needs where !need.isDeclared(in: target.type) { throw need.refusal(target.type) }
        for sort in sorts {
            let need = IndexNeed(sortedBy: sort, of: target.type)
            guard need.isDeclared(in: target.type) else { throw need.refusal(target.type) }
        }
        // A query for all records of a type needs the index on their names (semantics 7.2).
        let isQueryable = target.type.indexes[SystemField.recordID.rawValue]?.contains(.queryable) == true
        if needs.isEmpty, !isQueryable {
            throw .fieldNotQueryable(SystemField.recordID.rawValue, recordType: target.type.name)
        }
    }

    /// The indexes that would help.
    var wanted: [FieldIndex] {
        var keys: Set<FieldIndex.Key> = []
        return helpful.filter(isDeclared).compactMap(\.index).filter { keys.insert($0.key).inserted }
    }

    /// The indexes that the query needs. A walk over the type's records is included if there is no sort and no index
    /// could reduce the number of rows.
    private var helpful: [IndexNeed] {
        let walks = order == nil && !narrows(ready: nil)
        return needs + [order].compactMap { $0 } + (walks ? [walk] : [])
    }

    /// Creates the plan, given the indexes in ``wanted`` that are ready.
    func plan(ready: Set<FieldIndex.Key>, version: Int64) -> QueryPlan {
        var writer = ConditionWriter(target, ready: ready, builder: SQLBuilder())
        let driver: QueryPlan.Driver =
            narrows(ready: ready)
            ? .index : order?.isReady(ready) == true ? .order : walk.isReady(ready) ? .type : .zones
        let isGathered = driver == .index && !narrows(ready: ready) { $0 != .elements }
        let missing = helpful.filter { !$0.isReady(ready) }
        return QueryPlan(
            target: target, predicate: predicate, sorts: sorts, ready: ready, driver: driver,
            isGathered: isGathered,
            isScan: driver == .zones || driver != .index && !missing.isEmpty,
            isPlannedOnce: isPlannedOnce || isGathered && sorts.isEmpty && predicate.comparisons.count == 1,
            isExact: writer.condition(predicate).isExact,
            warnings: missing.map { $0.warning(target.type, isDeclared: isDeclared($0)) }, version: version)
    }

    private var isPlannedOnce: Bool {
        let comparisons = predicate.comparisons
        return sorts.isEmpty
            ? comparisons.count <= 1 && comparisons.allSatisfy(\.isOfEquality)
            : comparisons.isEmpty && sorts.count == 1
    }

    private func isDeclared(_ need: IndexNeed) -> Bool {
        need.isDeclared(in: target.type) || declaresSystemFields && need.field.hasPrefix("___")
    }

    /// Whether one of the `ready` indexes reduces the number of rows to read. If `ready` is nil, whether any index
    /// could.
    ///
    /// - Parameter isMeant: returns whether an index with the given method is considered; nil stands for the table's
    ///   own key.
    private func narrows(
        ready: Set<FieldIndex.Key>?, _ isMeant: (FieldIndex.Method?) -> Bool = { _ in true }
    ) -> Bool {
        predicate.narrows { comparison in
            let need = IndexNeed(comparison, of: target.type)
            guard need.narrows, isMeant(need.index?.key.method) else { return false }
            return ready.map { need.isReady($0) } ?? (need.index != nil || need.isGiven)
        }
    }
}

extension IndexNeed {
    /// Whether the index is ready.
    func isReady(_ ready: Set<FieldIndex.Key>) -> Bool { isGiven || index.map { ready.contains($0.key) } == true }

    /// Returns CloudKit's error for a field without the index.
    func refusal(_ type: RecordTypeSchema) -> ServerError {
        if kinds == .searchable { return .fieldNotSearchable(field, recordType: type.name) }
        if kinds == .sortable { return .fieldNotSortable(field, recordType: type.name) }
        return .fieldNotQueryable(field, recordType: type.name)
    }

    /// Returns the warning for the answer.
    func warning(_ type: RecordTypeSchema, isDeclared: Bool) -> String {
        guard index != nil else {
            return "No index can serve the comparison of '\(field)'; records were read one by one"
        }
        let kind = kinds.keywords.first ?? "QUERYABLE"
        return isDeclared
            ? "The \(kind) index of '\(field)' is still being built; records were read one by one"
            : "The field '\(field)' of '\(type.name)' has no \(kind) index; records were read one by one"
    }
}

extension BoundComparison {
    /// Whether the comparison searches an ordered index for one value or one text prefix.
    fileprivate var isOfEquality: Bool {
        switch test {
        case .relation(.equal, _): !isAny
        case .text(let text): text.kind.isPrefix && text.options.isEmpty && !isAny
        default: false
        }
    }
}

extension BoundPredicate {
    /// All comparisons of the predicate.
    var comparisons: [BoundComparison] {
        switch self {
        case .and(let predicates), .or(let predicates): predicates.flatMap(\.comparisons)
        case .not(let predicate): predicate.comparisons
        case .comparison(let comparison): [comparison]
        }
    }

    /// Whether the comparisons for which `isNarrow` is true suffice to reduce the number of records that must be read.
    func narrows(isNegated: Bool = false, _ isNarrow: (BoundComparison) -> Bool) -> Bool {
        switch self {
        case .and(let predicates) where !isNegated, .or(let predicates) where isNegated:
            predicates.contains { $0.narrows(isNegated: isNegated, isNarrow) }
        case .and(let predicates), .or(let predicates):
            predicates.allSatisfy { $0.narrows(isNegated: isNegated, isNarrow) }
        case .not(let predicate): predicate.narrows(isNegated: !isNegated, isNarrow)
        case .comparison(let comparison): !isNegated && isNarrow(comparison)
        }
    }
}
