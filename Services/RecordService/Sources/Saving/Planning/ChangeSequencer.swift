internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// Numbers the changes of a resolved request. The saves come first, with parents and owners before the records that
/// refer to them (semantics 8.2.6). The deletions follow, and then the deletions of their dependents.
struct ChangeSequencer {
    let request: WriteRequest
    let base: BatchPlanner
    let sharing: SharingResolver
    var effects: RequestEffects
    /// The numbers of the new shares.
    var begun: [RecordKey: ShareID] = [:]
    /// The change numbers of the saves.
    var seqs: [RecordKey: Int64] = [:]

    /// Returns the effects of `request` as resolved by `resolver`, in addition to the effects that `base` already
    /// contains.
    static func effects(
        of resolver: ReferenceResolver, _ sharing: SharingResolver, request: WriteRequest, base: BatchPlanner
    ) -> RequestEffects {
        var sequencer = ChangeSequencer(sharing, request: request, base: base)
        sequencer.apply(resolver)
        return sequencer.effects
    }

    private init(_ sharing: SharingResolver, request: WriteRequest, base: BatchPlanner) {
        self.sharing = sharing
        self.request = request
        self.base = base
        effects = RequestEffects(zone: request.zone.row, seq: base.counters[request.zone.row] ?? 0)
    }

    private mutating func apply(_ resolver: ReferenceResolver) {
        effects.outcomes = resolver.plans.map(\.outcome)
        let order = Self.savingOrder(resolver.plans)
        // New shares are numbered first, because their members need the numbers.
        for position in order where sharing.changesShares {
            if case .save(let save) = resolver.plans[position], save.isShare {
                let record = self.save(save)
                effects.outcomes[position] = save.isDeparture ? .deleted(name: record.name) : .saved(record)
            }
        }
        for position in order {
            guard case .save(let save) = resolver.plans[position], effects.overlay[save.key] == nil else { continue }
            effects.outcomes[position] = .saved(self.save(save))
        }
        for case .delete(let deletion) in resolver.plans {
            delete(
                effects.overlay[deletion.key] ?? deletion.record, key: deletion.key, changeTag: deletion.changeTag)
            if resolver.isTooLarge { cascade(below: deletion.key, seq: effects.seq) }
        }
        for key in resolver.dependents {
            guard let record = effects.overlay[key] ?? base.records[key], !record.isTombstone else { continue }
            delete(record, key: key, changeTag: OperationIdentity(dependent: key, seq: effects.seq + 1).changeTag)
        }
        writeShares()
        effects.outcomes.removeLast(effects.outcomes.count - request.body.operations.count)
    }

    private mutating func save(_ save: PlannedSave) -> StoredRecord {
        if base.isPendingCascade(save.key), let old = base.records[save.key], !old.isTombstone {
            deleteNow(old, key: save.key)
        }
        effects.seq += 1
        var record = save.record
        record.changeSeq = effects.seq
        seqs[save.key] = effects.seq
        enter(&record, of: save)
        effects.overlay[save.key] = record
        if save.touchesLinks {
            effects.links.append(RequestEffects.WrittenLinks(key: save.key, links: save.links, before: save.before))
        }
        effects.changes.append(
            ChangedRecord(
                name: save.key.name, type: save.type.name, seq: effects.seq,
                kind: save.current == nil ? .created : .updated,
                changedKeys: save.changedKeys,
                droppedAssets: dropAssets(
                    of: save.key, type: save.type, from: save.current, isOmitted: save.isOmitted, to: record.fields),
                record: log(record, of: save.type), shares: shares(of: save, as: record)))
        return record
    }

    /// Returns the log entry for a record; nil if the record's type is not watched.
    private mutating func log(_ record: StoredRecord, of type: RecordTypeSchema?) -> JSONValue? {
        guard let layout = type?.logLayout else { return nil }
        effects.loggedBytes += record.size
        return record.logged(by: layout)
    }

    private mutating func delete(_ record: StoredRecord, key: RecordKey, changeTag: String) {
        effects.seq += 1
        let type = base.schema.identified(record.type)
        let isOmitted = effects.overlay[key] == nil && base.isOmitted(key)
        let deletion = RecordDeletion(
            of: record, type: type, seq: effects.seq, changeTag: changeTag, stamp: base.stamp(of: request),
            isOmitted: isOmitted)
        if isOmitted || !deletion.links.isEmpty {
            effects.links.append(RequestEffects.WrittenLinks(key: key, links: [], before: deletion.links))
        }
        if isOmitted || type?.assetFields.contains(where: { record.fields?.raw($0) != nil }) == true {
            effects.assetsChanged.append(key)
        }
        if deletion.change.record != nil { effects.loggedBytes += record.size }
        if let departed = deletion.departed { depart(key, from: departed, seq: effects.seq) }
        effects.overlay[key] = deletion.tombstone
        effects.changes.append(deletion.change)
    }

    /// Deletes a record that is pending deletion and that a save names. The background job deletes the record's
    /// dependents.
    private mutating func deleteNow(_ record: StoredRecord, key: RecordKey) {
        delete(record, key: key, changeTag: OperationIdentity(dependent: key, seq: effects.seq + 1).changeTag)
        cascade(below: key, seq: base.pendingCascade[key] ?? effects.seq)
    }

    /// - Parameter seq: the number of the deletion. A record that refers to the deleted record but was changed later is
    ///   not a dependent.
    private mutating func cascade(below key: RecordKey, seq: Int64) {
        effects.cascades.append(Cascade(key: key, seq: seq, user: request.context.user))
        // Its children remain until the job deletes them, and no longer belong to a share.
        if base.sharing.moves[request.zone.row] ?? .none != .none { effects.shares.deferred.append((key, .leaving)) }
    }

    /// Marks the record if its assets might have changed.
    ///
    /// - Returns: the checksums of the assets that the record dropped; empty if its previous fields were not read, in
    ///   which case the asset service's sweep finds the dropped assets.
    private mutating func dropAssets(
        of key: RecordKey, type: RecordTypeSchema?, from current: StoredRecord?, isOmitted: Bool,
        to fields: StoredFields?
    ) -> [String] {
        if isOmitted {
            // This applies to every type, because a field that another instance has added is unknown until the schema
            // is read again.
            effects.assetsChanged.append(key)
            return []
        }
        let before = current?.fields
        guard let type, type.assetFields.contains(where: { before?.raw($0) != fields?.raw($0) }) else { return [] }
        effects.assetsChanged.append(key)
        return type.droppedAssets(from: before, to: fields)
    }

    /// Returns the positions of the saves. A record to which other saved records refer is saved before them; otherwise,
    /// the order is unchanged. In a cycle of references, at least one record is saved before a record to which it
    /// refers.
    private static func savingOrder(_ plans: [PlannedOperation]) -> [Int] {
        var positions: [RecordName: Int] = [:]
        var saves: [Int] = []
        var hasLinks = false
        for (position, plan) in plans.enumerated() {
            guard case .save(let save) = plan else { continue }
            saves.append(position)
            hasLinks = hasLinks || !save.links.isEmpty
        }
        guard hasLinks else { return saves }
        for position in saves {
            if case .save(let save) = plans[position] { positions[save.key.name] = position }
        }
        var isOrdered = true
        var owners: [Int: [Int]] = [:]
        for position in saves {
            guard case .save(let save) = plans[position], !save.links.isEmpty else { continue }
            let inside = save.links.compactMap { positions[$0.target] }.filter { $0 != position }.sorted()
            owners[position] = inside
            if inside.contains(where: { $0 > position }) { isOrdered = false }
        }
        if isOrdered { return saves }
        var order: [Int] = []
        var seen: Set<Int> = []
        for start in saves {
            // The search is depth-first without recursion, because a chain of references can be as long as the request.
            var stack = [(position: start, isDone: false)]
            while let (position, isDone) = stack.popLast() {
                if isDone {
                    order.append(position)
                } else if seen.insert(position).inserted {
                    stack.append((position, true))
                    for owner in (owners[position] ?? []).reversed() where !seen.contains(owner) {
                        stack.append((owner, false))
                    }
                }
            }
        }
        return order
    }
}
