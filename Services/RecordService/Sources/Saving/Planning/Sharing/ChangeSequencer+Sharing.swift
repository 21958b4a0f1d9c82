internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The numbering of new shares, and the changes to shares.
extension ChangeSequencer {
    /// Sets the membership and the sharing state of a saved record.
    mutating func enter(_ record: inout StoredRecord, of save: PlannedSave) {
        if sharing.begun.contains(where: { $0.key == save.key }) { begun[save.key] = ShareID(effects.seq) }
        let before = effects.overlay[save.key] ?? base.records[save.key]
        let old = before?.membership
        let change = sharing.shares[save.key]
        let share = change.map { $0.flatMap(number) } ?? (save.current == nil ? nil : old?.share)
        if let share, share == old?.share, let old, save.current != nil {
            record.membership = Membership(share: share, seq: effects.seq, since: old.since)
        } else {
            record.membership = share.map { Membership(share: $0, seq: effects.seq, since: effects.seq) }
            if let before, let old {
                // The row of a deleted record is reused, so a departure takes the place of its tombstone.
                if before.isTombstone {
                    depart(save.key, from: old, seq: old.seq, replacesTombstone: true)
                } else if old.share != share {
                    depart(save.key, from: old, seq: effects.seq)
                }
            }
        }
        record.sharing = sharing(of: save)
        if save.isShare { record.size = size(of: record, save) }
    }

    /// Returns the size of a saved share. The size of a planned share covers only its fields. If only some participants
    /// were read, and in a departure, which saves the stored record, the size changes by the difference that they make.
    private func size(of record: StoredRecord, _ save: PlannedSave) -> Int {
        let bytes = record.sharing?.participantBytes ?? 0
        guard let current = save.current, let updated = sharing.updated.first(where: { $0.key == save.key }),
            save.isDeparture || updated.share.rest != nil
        else { return record.size + bytes }
        return current.size + bytes - updated.share.sharing.participantBytes
    }

    /// Returns the shares to which a saved record belonged before and belongs after the change, for its event.
    func shares(of save: PlannedSave, as record: StoredRecord) -> ChangedRecord.Shares? {
        let old = base.records[save.key]?.membership
        var after = record.membership?.share
        // A record stays in an ended share until the background job has updated its row.
        if let old, old.isEnded, after == old.share { after = nil }
        return ChangedRecord.Shares(
            before: save.current == nil ? nil : old?.reported?.rawValue, after: after?.rawValue)
    }

    private func number(_ share: SharingResolver.ShareReference) -> ShareID? {
        switch share {
        case .existing(let id): id
        case .new(let key): begun[key]
        }
    }

    mutating func depart(
        _ key: RecordKey, from old: Membership, seq: Int64, replacesTombstone: Bool = false
    ) {
        effects.shares.departures.append(
            MembershipTable.Departure(
                key: key, share: old.share, seq: seq, since: old.since, replacesTombstone: replacesTombstone))
    }

    /// Returns the sharing state of a record after the request; nil if the record is neither a share nor a root and has
    /// no link.
    private func sharing(of save: PlannedSave) -> StoredSharing? {
        if let share = changedShare(save.key) ?? begunShare(save.key) {
            return share.sharing
        }
        if let share = sharing.begun.first(where: { $0.root == save.key }), let id = begun[share.key] {
            return StoredSharing(
                isRoot: true, shareName: share.key.name, link: share.link, publicPermission: .none, participants: [],
                share: id)
        }
        if let changed = sharing.updated.first(where: { $0.share.root == save.key.name }) {
            return StoredSharing(
                isRoot: true, shareName: changed.key.name, link: changed.link, publicPermission: .none,
                participants: [], share: changed.share.id)
        }
        if let link = sharing.links[save.key] {
            return StoredSharing(link: link)
        }
        guard let kept = save.current?.sharing else { return nil }
        // The root keeps its link.
        let isEnded = sharing.ended.contains { $0.root == save.key.name || $0.name == save.key.name }
        return isEnded ? kept.link.map(StoredSharing.init(link:)) : kept
    }

    private func begunShare(_ key: RecordKey) -> StoredShare? {
        guard let begun = sharing.begun.first(where: { $0.key == key }), let id = self.begun[key] else { return nil }
        var editor = ShareEditor(owner: request.zone.address.owner, seq: id.rawValue, seed: begun.seed)
        // The save was checked when the request was resolved.
        try? editor.apply(begun.sent, seq: id.rawValue)
        return StoredShare(
            id: id, name: key.name, root: begun.root?.name, publicPermission: editor.publicPermission,
            link: begun.link, participants: editor.participants.participants, requests: editor.requesters.requests)
    }

    private func changedShare(_ key: RecordKey) -> StoredShare? {
        guard let updated = sharing.updated.first(where: { $0.key == key }), let seq = seqs[key] else { return nil }
        let editor = editor(updated, seq: seq)
        var share = updated.share
        share.participants = editor.participants.participants
        share.requests = editor.requesters.requests
        share.link = updated.link
        share.publicPermission = editor.publicPermission
        return share
    }

    private func editor(_ updated: SharingResolver.Updated, seq: Int64) -> ShareEditor {
        var editor = ShareEditor(updated.share, seed: updated.seed)
        // The save was checked when the request was resolved.
        try? editor.apply(updated.sent, seq: seq)
        return editor
    }

    /// Adds the changes to shares that are written in addition to the records.
    mutating func writeShares() {
        let zone = request.zone.row
        for begun in sharing.begun {
            guard let share = begunShare(begun.key) else { continue }
            effects.shares.changes.append(
                ShareTable.Change(
                    zone: zone, share: share, participants: share.participants,
                    requesters: share.requests.requesters, changesAccess: true))
        }
        for updated in sharing.updated {
            guard let share = changedShare(updated.key), let seq = seqs[updated.key] else { continue }
            let editor = editor(updated, seq: seq)
            effects.shares.changes.append(
                ShareTable.Change(
                    zone: zone, share: share, participants: editor.participants.rows,
                    dropped: editor.participants.dropped, requesters: editor.requesters.rows,
                    answered: editor.requesters.answered, changesAccess: editor.participants.changesAccess))
        }
        for share in sharing.ended {
            let seq = effects.overlay[RecordKey(zone: zone, name: share.name)]?.changeSeq ?? effects.seq
            effects.shares.ends.append((zone, share.id, seq))
        }
        for move in sharing.moves {
            guard let seq = seqs[move.cause] else { continue }
            // Records that are deleted as dependents do not move.
            let nodes = move.nodes.filter { effects.overlay[RecordKey(zone: zone, name: $0.name)] == nil }
            if !nodes.isEmpty, let cause = effects.changes.lastIndex(where: { $0.seq == seq }) {
                effects.changes[cause].shares?.movesBelow = true
            }
            effects.shares.moves.append(
                MembershipTable.Move(
                    zone: zone, names: nodes.map(\.name), share: move.share.flatMap(number), seq: seq))
            effects.shares.departures += nodes.compactMap { node in
                node.membership.map {
                    MembershipTable.Departure(
                        key: RecordKey(zone: zone, name: node.name), share: $0.share, seq: seq, since: $0.since)
                }
            }
        }
        for deferred in sharing.deferred {
            if let seq = seqs[deferred.key], let cause = effects.changes.lastIndex(where: { $0.seq == seq }) {
                effects.changes[cause].shares?.movesBelow = true
            }
            effects.shares.deferred.append((deferred.key, deferred.moves))
        }
        effects.shares.links = sharing.links.map { ($0.key, $0.value) }
    }
}
