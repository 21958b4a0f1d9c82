/// References are checked after the whole batch, regardless of its order (semantics 4.4): first its saves are applied,
/// then its deletions with all their dependents, then the references are checked.
extension ModelZone {
    /// Returns the records and shares after the successful items.
    func outcome(of items: [ModelItem], _ batch: ModelBatch) -> Shape {
        let staged = staged(items, batch)
        var after = staged
        for name in Self.cascade(from: items.filter(\.isDeletion).map(\.name), in: staged.records) {
            after.records[name] = nil
        }
        after.shares = after.shares.filter { name, share in
            after.records[name] != nil && share.root.map { after.records[$0] != nil } ?? true
        }
        return after
    }

    /// Returns the records after the successful saves, with the shares that remain after the deletions. A record that is
    /// saved below a deleted one fails later, because its parent does not exist.
    func planned(_ items: [ModelItem], _ batch: ModelBatch) -> Shape {
        Shape(records: staged(items, batch).records, shares: outcome(of: items, batch).shares)
    }

    /// Returns the items that must fail. These are the saves of remaining records that need a record which does not
    /// exist, and the deletions that would also delete what the participant may not delete. If there are none, they are
    /// the deletions that remove a record which a remaining record needs.
    func breakers(of items: [ModelItem], _ batch: ModelBatch) -> [Int: ModelError] {
        let before = staged(items, batch).records
        let after = outcome(of: items, batch).records
        var failures: [Int: ModelError] = [:]
        for index in items.indices {
            guard let record = items[index].record, after[record.name] != nil else { continue }
            let needed = batch.needed(index, present: records[record.name])
            if !needed.allSatisfy({ after[$0] != nil }) { failures[index] = .brokenReference }
        }
        for index in items.indices where items[index].isDeletion {
            let dependents = Self.cascade(from: [items[index].name], in: before).subtracting([items[index].name])
            if dependents.contains(where: { !mayDelete($0, batch) }) { failures[index] = .accessDenied }
        }
        // A failed save needs no other record.
        guard failures.isEmpty else { return failures }
        for index in items.indices where items[index].isDeletion {
            let gone = Self.cascade(from: [items[index].name], in: before)
            let holders = after.values.filter { !$0.needed.isDisjoint(with: gone) }
            let hidden = holders.filter { !sees($0.name, batch) && !items.compactMap(\.record?.name).contains($0.name) }
            guard !holders.isEmpty else { continue }
            // If several records need it, any of them may be reported.
            let isHidden =
                hidden.count == holders.count || !hidden.isEmpty && batch.choice(index)?.error == .accessDenied
            failures[index] = isHidden ? .accessDenied : .brokenReference
        }
        return failures
    }

    /// Returns the saves that must fail because they would make a record its own ancestor.
    func circles(of items: [ModelItem], _ batch: ModelBatch) -> [Int] {
        let after = staged(items, batch).records
        return items.indices.filter { index in
            guard let record = items[index].record, record.parent != records[record.name]?.parent else { return false }
            var (above, seen) = (record.parent, Set<String>())
            while let name = above, seen.insert(name).inserted {
                if name == record.name { return true }
                above = after[name]?.parent
            }
            return false
        }
    }

    /// Whether the sender of a batch sees a record. The owner sees every record.
    func sees(_ name: String, _ batch: ModelBatch) -> Bool {
        guard let user = batch.participant else { return true }
        return permission(of: user, in: shape.membership()[name]) != .none
    }

    /// Whether the sender may delete an existing record together with another one.
    private func mayDelete(_ name: String, _ batch: ModelBatch) -> Bool {
        guard let user = batch.participant, let record = records[name] else { return true }
        return permission(of: user, in: shape.membership()[name]) == .readWrite && !isRoot(name) && !record.isShare
    }

    /// Returns the records and shares after the successful saves.
    private func staged(_ items: [ModelItem], _ batch: ModelBatch) -> Shape {
        var shape = shape
        for (index, item) in items.enumerated() {
            guard let record = item.record else { continue }
            shape.records[record.name] = record
            guard let change = batch.operations[index].share else { continue }
            let link = change.replacesLink ? nil : shape.shares[record.name]?.link ?? link(ofRoot: change.root)
            var share =
                shape.shares[record.name]
                ?? ModelShare(root: change.root, begun: nextChange, link: link ?? "")
            share.link = link ?? batch.choice(index)?.record?.link ?? ""
            share.apply(change)
            shape.shares[record.name] = share
        }
        return shape
    }

    /// Returns the existing records that are deleted with `names`, including `names`. Cycles are allowed.
    static func cascade(from names: [String], in records: [String: ModelRecord]) -> Set<String> {
        var gone: Set<String> = []
        var next = Set(names).filter { records[$0] != nil }
        while !next.isEmpty {
            gone.formUnion(next)
            next = Set(
                records.values.filter { !gone.contains($0.name) && !$0.owners.isDisjoint(with: next) }.map(\.name))
        }
        return gone
    }
}

extension ModelItem {
    var isDeletion: Bool { if case .deleted = self { true } else { false } }
}
