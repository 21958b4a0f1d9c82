/// The rules of sharing that concern all operations of a batch together (semantics 5.4 and 11).
extension ModelZone {
    /// Returns the items that must fail because of the other records. The rules are checked in an order; the first one
    /// that is violated decides.
    func failures(of items: [ModelItem], _ batch: ModelBatch) -> [Int: ModelItem] {
        var failures: [Int: ModelItem] = [:]
        func fail(_ index: Int, _ error: ModelError, server: ModelRecord? = nil) {
            failures[index] = .failed(items[index].name, error, server: server)
        }
        for index in hiddenTargets(of: items, batch) { fail(index, .brokenReference) }
        guard failures.isEmpty else { return failures }
        for (index, failure) in refusedShares(in: items, batch) { failures[index] = failure }
        for index in circles(of: items, batch) where failures[index] == nil { fail(index, .badRequest) }
        guard failures.isEmpty else { return failures }
        for (index, error) in nested(items, batch) { fail(index, error) }
        guard failures.isEmpty else { return failures }
        for index in foreignWrites(in: items, batch) { fail(index, .accessDenied) }
        guard failures.isEmpty else { return failures }
        for (index, error) in breakers(of: items, batch) { fail(index, error) }
        return failures
    }

    /// Returns the participant's saves that add a reference to a record which the participant does not see.
    private func hiddenTargets(of items: [ModelItem], _ batch: ModelBatch) -> [Int] {
        guard batch.participant != nil else { return [] }
        let saved = Set(items.compactMap(\.record?.name))
        return items.indices.filter { index in
            guard let record = items[index].record else { return false }
            return batch.needed(index, present: records[record.name]).contains {
                !saved.contains($0) && !(records[$0] != nil && sees($0, batch))
            }
        }
    }

    /// Returns the saves of new shares that cannot begin.
    private func refusedShares(in items: [ModelItem], _ batch: ModelBatch) -> [Int: ModelItem] {
        var failures: [Int: ModelItem] = [:]
        let saved = Set(items.compactMap(\.record?.name))
        let deleted = Set(items.filter(\.isDeletion).map(\.name))
        for index in items.indices {
            guard let record = items[index].record, let change = batch.operations[index].share,
                shares[record.name] == nil
            else { continue }
            func fail(_ error: ModelError, server: ModelRecord? = nil) {
                failures[index] = .failed(record.name, error, server: server)
            }
            if record.name == ModelShare.zoneShareName {
                if !shares.isEmpty { fail(.badRequest) }
                continue
            }
            guard zoneShare == nil else {
                fail(.zoneSharedAsWhole)
                continue
            }
            guard let root = change.root, saved.contains(root) || records[root] != nil && !deleted.contains(root) else {
                fail(.badRequest)
                continue
            }
            if !saved.contains(root), let tag = change.rootTag, let present = records[root], tag != present.tag {
                fail(.conflict, server: present)
            } else if isRoot(root) {
                fail(.alreadyShared)
            }
        }
        return failures
    }

    /// Returns the operations that would put a share inside another one.
    private func nested(_ items: [ModelItem], _ batch: ModelBatch) -> [Int: ModelError] {
        guard zoneShare == nil, !shares.isEmpty || batch.operations.contains(where: { $0.share != nil }) else {
            return [:]
        }
        let after = planned(items, batch)
        let (before, now) = (shape.membership(), after.membership())
        var failures: [Int: ModelError] = [:]
        for (index, name, begins) in causes(of: items, batch, after) {
            let (present, placed) = (records[name], after.records[name])
            // A share must not begin below another one, and its root must not move below one.
            let isRoot = after.shares.values.contains { $0.root == name }
            let parentMoved = placed?.parent != present?.parent
            if isRoot, parentMoved, let parent = placed?.parent, now[parent] != nil { failures[index] = .alreadyShared }
            guard before[name] != now[name] else { continue }
            if begins, before[name] != nil { failures[index] = .alreadyShared }
            let below = after.below(name)
            if now[name] != nil, shares.contains(where: { below.contains($0.value.root ?? "") }) {
                failures[index] = .alreadyShared
            }
        }
        return failures
    }

    /// The records that the saves move, or with which shares begin.
    private func causes(
        of items: [ModelItem], _ batch: ModelBatch, _ after: Shape
    ) -> [(index: Int, name: String, begins: Bool)] {
        items.indices.compactMap { index in
            guard let record = items[index].record else { return nil }
            let begins = batch.operations[index].share != nil && shares[record.name] == nil
            let name = begins ? after.shares[record.name]?.root ?? "" : record.name
            guard let placed = after.records[name],
                begins || records[name] != nil && placed.parent != records[name]?.parent
            else { return nil }
            return (index, name, begins)
        }
    }

    /// Whether a batch moves more records between shares than one transaction may move.
    func isLargeMove(_ items: [ModelItem], _ batch: ModelBatch) -> Bool {
        let after = planned(items, batch)
        let (before, now) = (shape.membership(), after.membership())
        let below = causes(of: items, batch, after).filter { before[$0.name] != now[$0.name] }.map {
            shape.below($0.name).union(after.below($0.name))
        }
        return below.reduce(Set()) { $0.union($1) }.count > batch.moveLimit
    }

    /// Returns the participant's saves that would take a record out of its share, create a record outside of the shares
    /// to which the participant may write, or move other records.
    private func foreignWrites(in items: [ModelItem], _ batch: ModelBatch) -> [Int] {
        guard let user = batch.participant, zoneShare == nil else { return [] }
        let after = planned(items, batch)
        let (before, now) = (shape.membership(), after.membership())
        return items.indices.filter { index in
            guard let record = items[index].record else { return false }
            if records[record.name] == nil { return permission(of: user, in: now[record.name]) != .readWrite }
            return before[record.name] != now[record.name]
        }
    }
}
