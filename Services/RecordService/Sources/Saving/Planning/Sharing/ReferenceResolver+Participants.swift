internal import CloudKitModel
internal import RecordStorage

/// The rules for references and deletions in participants' requests (semantics 11.3, 11.4).
extension ReferenceResolver {
    /// Whether the target of `link` must exist. For a participant, the target of every new link must exist. The targets
    /// of links that the record already has are not checked, because they might be hidden.
    func mustExist(_ link: RecordLink, of save: PlannedSave) -> Bool {
        if request.isShared { return !save.before.contains(link) }
        return link.action != .deleteSelf || request.checksOwners
    }

    /// Returns an error for each deletion that would also remove records that the participant may not delete. A
    /// deletion with too many dependents fails too, because not all of them are known.
    mutating func foreignDependents(_ gone: Gone, _ staged: StagedLinks) -> [Int: ServerError] {
        guard let access = base.access(of: request) else { return [:] }
        var failures: [Int: ServerError] = [:]
        for key in gone.dependents {
            guard let position = gone.roots[key], failures[position] == nil else { continue }
            if gone.isTooLarge || mayDelete(key, access, staged) == false {
                failures[position] = .notPermittedByShare()
            }
        }
        return failures
    }

    /// - Returns: nil if the record must be read first.
    private mutating func mayDelete(_ key: RecordKey, _ access: ShareAccess, _ staged: StagedLinks) -> Bool? {
        guard base.records[key] != nil else {
            // The request creates the record.
            if staged.saved.contains(key) || base.sharing.absent.contains(key) { return true }
            missing.records.insert(key)
            return nil
        }
        guard let record = base.live(key) else { return true }
        return access.mayWrite(record) && !record.isRoot && record.sharing?.shareName != record.name
    }

    /// Whether the requesting user is a participant who may not see the record.
    mutating func isHidden(_ key: RecordKey, _ staged: StagedLinks) -> Bool {
        guard let access = base.access(of: request), !staged.saved.contains(key) else { return false }
        if base.records[key] != nil { return base.live(key).map { !access.sees($0) } ?? false }
        guard let target = base.graph.target(key) else {
            missing.targets.insert(key)
            return false
        }
        return access.permission(in: target.share) == .none
    }
}
