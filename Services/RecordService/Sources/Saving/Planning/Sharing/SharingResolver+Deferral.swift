internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// Moves of more records than one transaction moves (``ShareMoveTable``). The request writes only the records that it
/// names, and a background job moves the records below them. While a zone has such moves, the share in which a record is
/// stored might not be the share to which it belongs, so the shares are determined from the parents alone.
extension SharingResolver {
    /// The maximum number of shares in a zone in which more records than one transaction moves can enter a share.
    static let maxRoots = 10_000

    /// Whether the records below the moving ones are left to the background job: too many of them were found, or the job
    /// is already at work in the zone.
    var defersMoves: Bool { isMoving || movers.contains(where: base.sharing.tooLarge.contains) }

    /// Whether the background job is at work in the zone.
    private var isMoving: Bool { base.sharing.moves[zone] ?? .none != .none }

    /// The error for a request that must be repeated when records have moved.
    static var movesArePending: ServerError {
        ServerError(.zoneBusy, "Records are moving between shares of the zone; repeat the request when they have moved")
    }

    /// Determines the share of each saved record, and the records whose descendants the background job must examine.
    mutating func assignSharesByParents() {
        dependsOnReads = true
        for (key, save) in saved {
            let share = save.isShare ? ownShare(of: key) : root(above: key, isAfter: true)?.share
            if save.isShare || share != stored(save.current) { shares[key] = .some(share) }
        }
        let changes = movers.map { key in
            (
                key: key, old: base.live(key) == nil ? nil : root(above: key, isAfter: false)?.share,
                new: root(above: key, isAfter: true)?.share
            )
        }
        guard missing.isEmpty else { return }
        if base.access(of: request) != nil {
            refuseTakingAlong()
        } else if changes.contains(where: { $0.new != nil }) {
            refuseNestedRootsByParents()
        }
        guard missing.isEmpty else { return }
        for change in changes {
            let (isSame, isParticipant) = (change.old == change.new, base.access(of: request) != nil)
            if isSame, !mightMoveBelow(change.key) { continue }
            if !isParticipant {
                let moves = !isSame && isLive(change.old) ? ShareMoves.leaving : .entering
                deferred.append(Deferred(key: change.key, moves: moves))
            } else if isSame, base.live(change.key) != nil {
                // The job must end although participants keep moving records within a share, so they wait for it. Their
                // other moves are refused, and they create no record above existing ones (``refuseTakingAlong()``).
                busy = Self.movesArePending
            }
        }
    }

    /// Returns whether the job might still have to move records below `key`, a record that stays in its share, and
    /// would no longer reach them. This is the case if the job has yet to examine records from one above `key`. If it has
    /// yet to examine the children of `key` only, it does so in any case.
    private mutating func mightMoveBelow(_ key: RecordKey) -> Bool {
        guard isMoving else { return false }
        // There might still be records below one that was deleted.
        guard let record = base.live(key) else { return true }
        var (parent, visited) = (record.parent, Set([key]))
        while let above = parent.map(self.key), visited.insert(above).inserted {
            guard let ancestor = base.sharing.ancestry.records[above] else {
                missing.ancestors.insert(above)
                return false
            }
            if ancestor.isPending { return true }
            // The job does not pass the root of a share.
            parent = ancestor.share == nil ? ancestor.parent : nil
        }
        return false
    }

    /// Whether a share exists and does not end. The records of a share that ends are hidden anyway.
    private func isLive(_ share: ShareReference?) -> Bool {
        if case .existing(let id)? = share { !isEnded(id) } else { false }
    }

    /// Returns the nearest root of a share at or above a record; nil if there is none, if the parents form a cycle, or if
    /// records must be read first. Each record on the way is visited once, however many records are below it.
    ///
    /// - Parameter isAfter: whether the changes of the request are taken into account.
    private mutating func root(above key: RecordKey, isAfter: Bool) -> Root? {
        var roots = isAfter ? rootsAfter : rootsBefore
        // Only one copy is changed at a time.
        if isAfter { rootsAfter = [:] } else { rootsBefore = [:] }
        defer { if isAfter { rootsAfter = roots } else { rootsBefore = roots } }
        var (path, visited): ([RecordKey], Set<RecordKey>) = ([], [])
        var (current, root): (RecordKey?, Root?) = (key, nil)
        while let place = current {
            if let known = roots[place] {
                root = known
                break
            }
            guard visited.insert(place).inserted else { break }
            path.append(place)
            if let share = share(ofRoot: place, isAfter: isAfter) {
                root = Root(share: share, key: place)
                break
            }
            current = (isAfter ? parent(of: place) : parentBefore(of: place))?.map(self.key)
        }
        for place in path.reversed() {
            if moving.contains(place) { root?.mover = place }
            roots[place] = .some(root)
        }
        return root
    }

    private func share(ofRoot key: RecordKey, isAfter: Bool) -> ShareReference? {
        if isAfter, let share = begun.first(where: { $0.root == key }) { return .new(share.key) }
        let share =
            if base.records[key] == nil {
                base.sharing.ancestry.records[key]?.share
            } else {
                base.live(key).flatMap { $0.isRoot ? $0.membership?.live : nil }
            }
        return share.flatMap { isAfter && isEnded($0) ? nil : .existing($0) }
    }

    /// Returns the parent of a record before the request. The outer optional is nil if the parent must be read first.
    private mutating func parentBefore(of key: RecordKey) -> RecordName?? {
        if let record = base.records[key] { return .some(record.isTombstone ? nil : record.parent) }
        if let ancestor = base.sharing.ancestry.records[key] { return .some(ancestor.parent) }
        missing.ancestors.insert(key)
        return nil
    }

    /// Refuses operations that would nest one share inside another. The records below the moving ones are not known, so
    /// the parents of all roots are followed.
    private mutating func refuseNestedRootsByParents() {
        guard let names = base.sharing.roots[zone] else {
            missing.roots.insert(zone)
            return
        }
        guard names.count <= Self.maxRoots else {
            let error = ServerError.tooMany(
                "shares in the zone of a move of many records", limit: Self.maxRoots, actual: names.count)
            for mover in movers { refuse(mover, error) }
            return
        }
        for root in Set(names.map(key) + begun.compactMap(\.root)) where !deleted.contains(root) {
            guard share(ofRoot: root, isAfter: true) != nil || isUnread(root),
                let above = parent(of: root)?.map(key).flatMap({ self.root(above: $0, isAfter: true) }),
                // The parents of a root can form a cycle.
                above.key != root, let mover = moving.contains(root) ? root : above.mover
            else { continue }
            refuse(mover, .alreadyShared(root.name))
        }
    }

    private func isUnread(_ key: RecordKey) -> Bool {
        base.records[key] == nil && base.sharing.ancestry.records[key] == nil
    }

    /// Refuses a participant's operations that create a record above existing ones, which would move into the share.
    private mutating func refuseTakingAlong() {
        for key in movers where saved[key].map({ $0.current == nil }) ?? false {
            guard base.sharing.walked.contains(key) else {
                missing.below.insert(key)
                continue
            }
            if base.sharing.tooLarge.contains(key)
                || base.sharing.below.values.contains(where: { $0.parent == key.name })
            {
                refuse(key, .notPermittedByShare())
            }
        }
    }
}
