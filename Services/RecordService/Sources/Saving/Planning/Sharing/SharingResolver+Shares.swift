internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The creation, change and end of shares.
extension SharingResolver {
    mutating func endShares() {
        for position in plans.indices {
            if case .save(let save) = plans[position] { endShare(replaced: save, position) }
            guard case .delete(let deletion) = plans[position] else { continue }
            let position =
                position < request.body.operations.count
                ? position : origins[position - request.body.operations.count]
            guard let sharing = deletion.record.sharing,
                let found = found(deletion.key), let share = found.share, !ended.contains(where: { $0.id == share.id })
            else { continue }
            ended.append(share)
            if sharing.isRoot {
                delete(key(share.name), because: position)
            } else if let root = share.root {
                touch(key(root), because: position)
            }
        }
    }

    /// Ends the share of a root that is pending deletion and whose name a save uses again. The root is deleted ahead of
    /// the background job (``ChangeSequencer``), so the job does not end the share.
    private mutating func endShare(replaced save: PlannedSave, _ position: Int) {
        guard position < request.body.operations.count, base.isPendingCascade(save.key),
            let root = base.records[save.key], !root.isTombstone, root.sharing?.isRoot == true,
            let share = found(save.key)?.share, !ended.contains(where: { $0.id == share.id })
        else { return }
        ended.append(share)
        delete(key(share.name), because: position)
    }

    /// Deletes a record along with one that the request deletes.
    mutating func delete(_ key: RecordKey, because position: Int) {
        guard !deleted.contains(key) else { return }
        guard let record = read(key) else { return }
        guard !record.isTombstone else { return }
        let identity = OperationIdentity(request: request.identity, position: plans.count)
        plans.append(.delete(PlannedDeletion(key: key, record: record, changeTag: identity.changeTag)))
        origins.append(position)
    }

    /// Returns a record that the request does not name; nil if the record does not exist or must be read first.
    private mutating func read(_ key: RecordKey) -> StoredRecord? {
        dependsOnReads = true
        if base.records[key] == nil, !base.sharing.absent.contains(key) { missing.records.insert(key) }
        return base.records[key]
    }

    /// Gives a root a new change tag.
    mutating func touch(_ key: RecordKey, because position: Int) {
        guard saved[key] == nil, !deleted.contains(key) else { return }
        guard read(key) != nil, let record = base.live(key), let type = base.schema.identified(record.type) else {
            return
        }
        guard !base.isOmitted(key) else {
            isPostponed = true
            return
        }
        var touched = record
        touched.changeTag = OperationIdentity(request: request.identity, position: plans.count).changeTag
        touched.modified = base.stamp(of: request)
        plans.append(
            .save(
                PlannedSave(
                    key: key, type: type, record: touched, current: record, isOmitted: false, changedKeys: [],
                    links: type.links(in: record.fields, parent: record.parent), named: [])))
        origins.append(position)
    }

    mutating func resolveShare(_ position: Int) {
        guard position < request.body.operations.count, case .save(let save) = plans[position] else { return }
        let wire = request.body.operations[position].record
        if wire.createShortGUID, !save.isShare, let found = found(save.key), found.share == nil {
            links[save.key] = found.link ?? ShareLink.random()
        }
        guard save.isShare else { return }
        let read = if let visitor = visitor(of: save, wire.share) { found(visitor) } else { found(save.key) }
        guard let found = read else { return }
        var sent = wire.share
        if save.isDeparture {
            guard found.share != nil else { return plans[position] = .idle(name: save.key.name) }
            sent.leaver = request.context.user
        } else if request.isShared {
            sent.administrator = request.context.user
        }
        do throws(Refusal) {
            if let share = found.share {
                let changes = try update(share, of: save, sent, position: position)
                // The user might already have access, or might have requested it.
                if !changes { plans[position] = .idle(name: save.key.name) }
            } else {
                try begin(save, sent, link: found.link, position: position)
            }
        } catch {
            refuse(position, error.error, server: error.server)
        }
    }

    /// - Returns: false if the save accepts the share for a user who already has access, or repeats a request for
    ///   access.
    mutating func update(
        _ share: StoredShare, of save: PlannedSave, _ sent: WireShare, position: Int
    ) throws(Refusal) -> Bool {
        if let acceptance = sent.acceptance, acceptance.oneTime == nil, acceptance.link != share.link {
            throw Refusal(.shareLinkUnknown())
        }
        if let request = sent.accessRequest, request.link != share.link { throw Refusal(.shareLinkUnknown()) }
        try permit(sent, to: share, of: save)
        if let root = sent.root, root.recordName != share.root { throw Refusal(.alreadyShared(save.key.name)) }
        let seed = ParticipantSeed()
        do throws(ServerError) {
            var editor = ShareEditor(share, seed: seed)
            try editor.apply(sent, within: bounds, seq: 0)
            if sent.acceptance != nil || sent.accessRequest != nil, editor.isUnchanged { return false }
            // A new participant must not learn the names of records that have already left the share.
            let gainsAccess = editor.participants.rows.contains { $0.role != .owner && $0.hasAccess && $0.since == 0 }
            if base.sharing.moves[zone] == .leaving, gainsAccess { busy = Self.movesArePending }
        } catch {
            throw Refusal(error)
        }
        if sent.accessRequest != nil { keepModified(position) }
        let link = sent.replacesLink ? ShareLink.random() : share.link
        // The dictionary of the root contains the link too.
        if link != share.link, let root = share.root { touch(key(root), because: position) }
        updated.append(Updated(key: save.key, share: share, sent: sent, link: link, seed: seed))
        return true
    }

    private var bounds: ShareEditor.Bounds {
        ShareEditor.Bounds(participants: base.limits.maxParticipants, requesters: base.limits.maxRequesters)
    }

    /// Keeps the user and the time of the last modification. The participants, who see the share, must not learn who
    /// requested access.
    private mutating func keepModified(_ position: Int) {
        guard case .save(var save) = plans[position], let current = save.current else { return }
        save.record.modified = current.modified
        plans[position] = .save(save)
    }

    mutating func begin(
        _ save: PlannedSave, _ sent: WireShare, link: String?, position: Int
    ) throws(Refusal) {
        let name = request.zone.address.zone
        let isOfZone = save.key.name == Self.zoneShareName
        let mode = base.sharing.zones[zone] ?? .none
        let seed = ParticipantSeed()
        do throws(ServerError) {
            var editor = ShareEditor(owner: request.zone.address.owner, seq: 0, seed: seed)
            try editor.apply(sent, within: bounds, seq: 0)
        } catch {
            throw Refusal(error)
        }
        guard !isOfZone else {
            if mode == .records || begun.contains(where: { $0.root != nil }) { throw Refusal(.zoneHasShares(name)) }
            begun.append(Begun(key: save.key, root: nil, link: Self.link(link, sent), sent: sent, seed: seed))
            return
        }
        if mode == .wholeZone || begun.contains(where: { $0.root == nil }) {
            throw Refusal(.zoneSharedAsWhole(name))
        }
        guard let root = sent.root else { throw Refusal(.shareWithoutRoot()) }
        let rootKey = key(root.recordName)
        guard let found = found(rootKey) else { return }
        try check(rootKey, tag: root.recordChangeTag)
        if found.share != nil || begun.contains(where: { $0.root == rootKey }) {
            throw Refusal(.alreadyShared(root.recordName))
        }
        touch(rootKey, because: position)
        begun.append(
            Begun(key: save.key, root: rootKey, link: Self.link(found.link, sent), sent: sent, seed: seed))
    }

    /// Returns the link of a new share: the link of its root, or a new link if there is none or if the client requests
    /// a new one.
    private static func link(_ old: String?, _ sent: WireShare) -> String {
        (sent.replacesLink ? nil : old) ?? ShareLink.random()
    }

    /// Checks that a record can be the root of a share: the request saves the record, or the record exists and the
    /// client's copy is current.
    func check(_ root: RecordKey, tag: String?) throws(Refusal) {
        if let save = saved[root] {
            guard !save.isShare else { throw Refusal(.shareRootNotFound(root.name)) }
            return
        }
        guard let record = base.live(root), !deleted.contains(root),
            base.schema.identified(record.type)?.name != RecordTypeName.share.rawValue
        else { throw Refusal(.shareRootNotFound(root.name)) }
        if let tag, tag != record.changeTag {
            throw Refusal(.staleChangeTag(root.name), server: base.isOmitted(root) ? nil : record)
        }
    }
}
