internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The assignment of records to shares.
extension SharingResolver {
    /// A moving record whose share might change, along with the shares of all records below it.
    struct Cause {
        let key: RecordKey
        let old: ShareReference?
        let new: ShareReference?
    }

    /// Determines the share of each saved record and of the records below each moving record.
    mutating func assignShares() {
        movers = movingRecords()
        moving = Set(movers)
        guard !defersMoves else { return assignSharesByParents() }
        let causes = movers.map { Cause(key: $0, old: stored(base.records[$0]), new: share(of: $0)) }
            .filter { $0.old != $0.new }
        // If the share of a record changes, the records below it must be read, because their shares might change too.
        for cause in causes {
            dependsOnReads = true
            if !base.sharing.walked.contains(cause.key) { missing.below.insert(cause.key) }
        }
        guard missing.isEmpty else { return }
        for (key, save) in saved {
            if save.isShare {
                shares[key] = .some(ownShare(of: key))
            } else {
                let share = share(of: key)
                if share != stored(save.current) { shares[key] = .some(share) }
            }
        }
        guard missing.isEmpty else { return }
        let groups = followers()
        refuseNestedRoots(causes, groups)
        moves = causes.compactMap { cause in
            let nodes = (groups[cause.key] ?? []).filter { node in
                let key = key(node.name)
                return saved[key] == nil && !deleted.contains(key) && stored(node.membership) == cause.old
            }
            return nodes.isEmpty ? nil : Move(cause: cause.key, nodes: nodes, share: cause.new)
        }
    }

    /// Returns the records whose parent changes, including previously deleted records, and the roots of the shares that
    /// are created or ended.
    private func movingRecords() -> [RecordKey] {
        // If a saved record replaces a deleted one, there might still be records below the deleted one.
        var keys: [RecordKey] = saved.values
            .filter { $0.current == nil ? base.records[$0.key] != nil : $0.current?.parent != $0.record.parent }
            .map(\.key)
        keys += begun.compactMap(\.root).filter { base.live($0) != nil }
        keys += ended.compactMap { $0.root.map(key) }.filter { !deleted.contains($0) }
        var seen: Set<RecordKey> = []
        return keys.filter { seen.insert($0).inserted }
    }

    /// Returns the live share in which a record is stored, unless the request ends it.
    func stored(_ record: StoredRecord?) -> ShareReference? { stored(record?.membership) }

    private func stored(_ membership: Membership?) -> ShareReference? {
        guard let membership, !membership.isEnded, !isEnded(membership.share) else { return nil }
        return .existing(membership.share)
    }

    func isEnded(_ share: ShareID) -> Bool { ended.contains { $0.id == share } }

    func ownShare(of key: RecordKey) -> ShareReference? {
        if begun.contains(where: { $0.key == key }) { return .new(key) }
        return updated.first { $0.key == key }.map { .existing($0.share.id) }
    }

    /// Returns the share to which a record belongs after the request. Records that were already in a cycle of parents
    /// belong to no share.
    private mutating func share(of key: RecordKey) -> ShareReference? {
        var (current, visited): (RecordKey, Set<RecordKey>) = (key, [])
        while visited.insert(current).inserted {
            if let share = begun.first(where: { $0.root == current }) { return .new(share.key) }
            if let record = base.live(current), record.isRoot, let share = stored(record) { return share }
            if let save = saved[current], save.current == nil || save.current?.parent != save.record.parent {
                guard let parent = save.record.parent else { return nil }
                current = self.key(parent)
            } else if let mover = nearestMover(above: current) {
                current = mover
            } else {
                return storedShare(of: current)
            }
        }
        return nil
    }

    private mutating func storedShare(of key: RecordKey) -> ShareReference? {
        if let record = base.records[key] { return stored(base.live(key) == nil ? nil : record) }
        guard let target = base.graph.target(key) else {
            missing.targets.insert(key)
            return nil
        }
        return target.share.flatMap { isEnded($0) ? nil : .existing($0) }
    }

    /// Returns the nearest moving record above `key`; nil if there is none or if its descendants have not been read.
    private mutating func nearestMover(above key: RecordKey) -> RecordKey? {
        if let known = nearest[key] { return known }
        var (path, current, mover): ([RecordKey], RecordKey, RecordKey?) = ([], key, nil)
        var visited: Set<RecordKey> = []
        while visited.insert(current).inserted {
            if let known = nearest[current] {
                mover = known
                break
            }
            path.append(current)
            guard let parent = base.sharing.below[current].map({ self.key($0.parent) }) else { break }
            if moving.contains(parent) {
                mover = parent
                break
            }
            current = parent
        }
        for key in path { nearest[key] = .some(mover) }
        return mover
    }

    /// Returns the records that follow each moving record, sorted by name. A record follows the nearest moving record
    /// above it.
    private mutating func followers() -> [RecordKey: [MembershipTable.Node]] {
        var groups: [RecordKey: [MembershipTable.Node]] = [:]
        for (key, node) in base.sharing.below where key.zone == zone && !moving.contains(key) {
            if let mover = nearestMover(above: key) { groups[mover, default: []].append(node) }
        }
        return groups.mapValues { $0.sorted { $0.name.rawValue < $1.name.rawValue } }
    }

    /// Refuses operations that would nest one share inside another.
    private mutating func refuseNestedRoots(_ causes: [Cause], _ groups: [RecordKey: [MembershipTable.Node]]) {
        for cause in causes where cause.new != nil {
            let nested = groups[cause.key]?.first { $0.isRoot && stored($0.membership) != nil }
            if let nested { refuse(cause.key, .alreadyShared(nested.name)) }
            // The root already belongs to another share.
            if cause.old != nil, begun.contains(where: { $0.root == cause.key }) {
                refuse(cause.key, .alreadyShared(cause.key.name))
            }
        }
        let roots =
            begun.compactMap(\.root)
            + saved.values.filter { $0.current?.isRoot == true && stored($0.current) != nil }.map(\.key)
        for root in roots {
            guard let save = saved[root], let parent = save.record.parent, save.current?.parent != parent,
                share(of: key(parent)) != nil
            else { continue }
            refuse(root, .alreadyShared(root.name))
        }
    }

    /// Refuses the operation that moves the record, or that creates the share with this record as its root.
    mutating func refuse(_ moved: RecordKey, _ error: ServerError) {
        let culprit = begun.first { $0.root == moved }?.key ?? moved
        for position in plans.indices.prefix(request.body.operations.count) {
            if case .save(let save) = plans[position], save.key == culprit { refuse(position, error) }
        }
    }
}

extension StoredRecord {
    /// Whether the record is the root of a live share.
    var isRoot: Bool { sharing?.isRoot == true && sharing?.shareName != nil }
}
