internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// What a participant may do with one record (semantics 11.3, 11.4). ``SharingResolver`` determines, for all operations
/// together, to which shares the saved records then belong.
extension OperationPlanner {
    /// Returns `record`, or nil if it is hidden from the participant.
    func visible(_ record: StoredRecord?) -> StoredRecord? {
        guard let rights, let record else { return record }
        return rights.sees(record) ? record : nil
    }

    /// Checks the rights of a participant.
    ///
    /// - Parameters:
    ///   - stored: the record as it is stored.
    ///   - current: the record; nil if the participant may not see it.
    func permit(
        _ access: ShareAccess, _ kind: RecordOperation.Kind, _ wire: WireRecord, name: RecordName,
        stored: StoredRecord?, current: StoredRecord?
    ) throws(Refusal) {
        let isPermitted: Bool
        if let current, isShare(current) {
            // For a participant, deleting the share record means leaving the share. Administrators also change it.
            isPermitted = kind.isDelete || (access.administers(current) && !wire.createShortGUID)
        } else if let current {
            isPermitted = access.mayWrite(current) && !(kind.isDelete && current.isRoot) && !wire.createShortGUID
        } else if kind.mayCreate {
            isPermitted =
                stored == nil && mayCreate(wire, access) && !wire.createShortGUID
                && wire.recordType != RecordTypeName.share.rawValue
        } else {
            isPermitted = true
        }
        guard isPermitted else { throw Refusal(.notPermittedByShare(), name: name) }
    }

    /// Whether the participant may create the record. The share of the parent is checked later. Unless the whole zone
    /// is shared, a parent is required.
    private func mayCreate(_ wire: WireRecord, _ access: ShareAccess) -> Bool {
        guard access.shares.contains(where: { $0.permission == .readWrite }) else { return false }
        if case .set = wire.parent { return true }
        return access.isOfZone
    }

    /// Whether the fields of the current record are needed because a participant saves the record. Without the fields,
    /// its links are unknown.
    func needsFields(_ kind: RecordOperation.Kind, of current: StoredRecord?) -> Bool {
        rights != nil && (!kind.isDelete || current.map(isShare) == true)
    }

    /// Plans the departure of the participant from a share, which is a change to the share record.
    func leave(_ share: StoredRecord, key: RecordKey, identity: OperationIdentity) -> PlannedOperation {
        guard let type = base.schema.identified(share.type) else { return .idle(name: key.name) }
        var record = share
        record.changeTag = identity.changeTag
        record.modified = base.stamp(of: request)
        return .save(
            PlannedSave(
                key: key, type: type, record: record, current: share, isOmitted: false, changedKeys: [],
                links: type.links(in: share.fields, parent: share.parent), named: [], isDeparture: true))
    }

    /// Returns the parent of a root that a participant saves; nil for other records. The parent is outside the share,
    /// so a participant cannot change it.
    func rootParent(_ wire: WireRecord, of current: StoredRecord?) throws(Refusal) -> RecordName?? {
        guard rights != nil, let current, current.isRoot else { return nil }
        let isSame: Bool =
            switch wire.parent {
            case .absent: true
            case .clear: current.parent == nil
            case .set(let name): current.parent == name
            }
        guard isSame else { throw Refusal(.notPermittedByShare(), name: current.name) }
        return .some(current.parent)
    }

    /// Refuses new references that would cause the root of a share to be deleted together with another record.
    func checkRoot(_ save: PlannedSave) throws(Refusal) {
        guard rights != nil, let current = save.current, current.isRoot else { return }
        if save.links.subtracting(save.before).contains(where: \.isOwning) {
            throw Refusal(.notPermittedByShare(), name: save.key.name)
        }
    }
}
