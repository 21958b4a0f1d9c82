internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing

/// The decision of a transaction, based on the data that it has read.
enum WriteDecision {
    /// More data must be read first, which is rare. Nothing was decided.
    case needs([WriteRead])
    /// The outcome of every request has been decided.
    case decided(WriteBatch)

    /// Decides the outcomes of the requests in `locked`.
    init(
        _ locked: LockedWrites, _ loaded: LoadedWrites, schema: SchemaSnapshot, assets: AssetAdmission, limits: Limits
    ) {
        if case .unchecked(let reads) = loaded.cascades {
            self = .needs(reads)
            return
        }
        var batch = WriteBatch(locked, loaded, schema: schema, assets: assets, limits: limits)
        var missing = MissingReads()
        for request in locked.requests { missing.formUnion(batch.decide(request)) }
        guard missing.isEmpty else {
            self = .needs(
                locked.entered.environments.flatMap { environment in
                    Self.reads(of: missing, in: environment, locked)
                })
            return
        }
        self = .decided(batch)
    }

    private static func sharing(
        of missing: MissingReads, in environment: EnvironmentRow, _ locked: LockedWrites
    ) -> [WriteRead] {
        func inside(_ keys: Set<RecordKey>) -> [RecordKey] { locked.keys(keys, in: environment) }
        let (shares, below, ancestors) = (inside(missing.shares), inside(missing.below), inside(missing.ancestors))
        let visible = inside(missing.visible)
        let shareKeys = Set(inside(Set(missing.visitors.map(\.key))))
        let visitors = missing.visitors.filter { shareKeys.contains($0.key) }
        return (shares.isEmpty ? [] : [.shares(shares, environment)])
            + (visitors.isEmpty ? [] : [.visits(Array(visitors), environment)])
            + Dictionary(grouping: below, by: \.zone).map { .below($1, $0, environment) }
            + (ancestors.isEmpty ? [] : [.ancestors(ancestors, environment)])
            + missing.roots.filter { locked.isZone($0, in: environment) }.map { .roots($0) }
            + Dictionary(grouping: visible) { locked.moves[$0.zone] ?? .none }.map { moves, keys in
                .visible(keys, missing.visibleShares.sorted(), moves, environment)
            }
    }

    private static func reads(
        of missing: MissingReads, in environment: EnvironmentRow, _ locked: LockedWrites
    ) -> [WriteRead] {
        func inside(_ keys: Set<RecordKey>) -> [RecordKey] { locked.keys(keys, in: environment) }
        let (records, incoming, targets) = (
            inside(missing.records), inside(missing.incoming), inside(missing.targets)
        )
        return (records.isEmpty ? [] : [.records(records, environment)])
            + (incoming.isEmpty ? [] : [.incoming(incoming, environment)])
            + (targets.isEmpty ? [] : [.targets(targets, owners: missing.owners, environment)])
            + WriteRead.pendingCascades(inside(missing.cascadeChecks), in: environment)
            + sharing(of: missing, in: environment, locked)
    }
}
