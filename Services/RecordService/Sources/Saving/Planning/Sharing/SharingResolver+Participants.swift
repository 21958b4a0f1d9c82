internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage

/// The limits on what the operations of a participant may do to shares (semantics 11.3).
extension SharingResolver {
    /// Refuses a participant's saves that would add a reference to a hidden record. References that are already in the
    /// saved record are not checked.
    mutating func refuseHiddenTargets() {
        guard let access = base.access(of: request) else { return }
        for position in plans.indices {
            guard case .save(let save) = plans[position] else { continue }
            let before = save.before
            for link in save.named where !before.contains(link) {
                guard sees(key(link.target), access) == false else { continue }
                refuse(position, .referenceTargetMissing(field: link.shownField, target: link.target))
                break
            }
        }
    }

    /// - Returns: whether the participant sees the record; nil if the record must be read first.
    private mutating func sees(_ key: RecordKey, _ access: ShareAccess) -> Bool? {
        if saved[key] != nil { return true }
        if base.records[key] != nil || base.isPendingCascade(key) {
            return base.live(key).map(access.sees) ?? false
        }
        guard let target = base.graph.target(key) else {
            missing.targets.insert(key)
            return nil
        }
        return target.isLive && access.permission(in: target.share) != .none
    }

    /// Checks that an administrator changes only what administrators may change: the participants and the requests for
    /// access (``ShareEditor``) and, with the permission `READ_WRITE`, the fields.
    ///
    /// - Throws: `access_denied`.
    func permit(_ sent: WireShare, to share: StoredShare, of save: PlannedSave) throws(Refusal) {
        guard sent.administrator != nil, let access = base.access(of: request) else { return }
        let isPermitted =
            !sent.replacesLink && (sent.publicPermission ?? share.publicPermission) == share.publicPermission
            && (access.permission(in: share.id) == .readWrite || save.record.fields == save.current?.fields)
        guard isPermitted else { throw Refusal(.notPermittedByShare()) }
    }

    /// Refuses a participant's saves that would move a record out of its share, create a record outside the shares to
    /// which the participant may write, or move records that the request does not name.
    mutating func refuseForeignWrites() {
        guard let access = base.access(of: request) else { return }
        for position in plans.indices.prefix(request.body.operations.count) {
            guard case .save(let save) = plans[position], !save.isShare, !access.isOfZone else { continue }
            let old = save.current.flatMap { stored($0) }
            let new = shares[save.key] ?? old
            let isPermitted: Bool
            if save.current == nil {
                isPermitted =
                    if case .existing(let id)? = new { access.permission(in: id) == .readWrite } else { false }
            } else {
                isPermitted = new == old
            }
            if !isPermitted { refuse(position, .notPermittedByShare()) }
        }
        for move in moves { refuse(move.cause, .notPermittedByShare()) }
    }
}
