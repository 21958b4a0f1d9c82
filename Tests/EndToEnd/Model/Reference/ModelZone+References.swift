/// References are checked after the whole batch, regardless of its order (semantics 4.4): first its saves are applied,
/// then its deletions with all their dependents, then the references are checked.
extension ModelZone {
    /// Returns the records after the successful items.
    func outcome(of items: [ModelItem]) -> [String: ModelRecord] {
        var after = saved(items)
        for name in Self.cascade(from: items.filter(\.isDeletion).map(\.name), in: after) { after[name] = nil }
        return after
    }

    /// Returns the items that must fail. These are the saves of remaining records that need a record which does not
    /// exist. If there are none, they are the deletions that remove a record which a remaining record needs.
    func breakers(of items: [ModelItem], naming named: [Set<String>]) -> [Int] {
        let before = saved(items)
        let after = outcome(of: items)
        let saves = items.indices.filter { index in
            guard let record = items[index].record, after[record.name] != nil else { return false }
            return !named[index].allSatisfy { after[$0] != nil }
        }
        // A failed save needs no other record.
        guard saves.isEmpty else { return saves }
        let needed = after.values.reduce(into: Set()) { $0.formUnion($1.needed) }
        return items.indices.filter { index in
            items[index].isDeletion && !needed.isDisjoint(with: Self.cascade(from: [items[index].name], in: before))
        }
    }

    /// Returns the saves that must fail because they would make a record its own ancestor.
    func circles(of items: [ModelItem]) -> [Int] {
        let after = saved(items)
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

    private func saved(_ items: [ModelItem]) -> [String: ModelRecord] {
        items.compactMap(\.record).reduce(into: records) { $0[$1.name] = $1 }
    }

    /// Returns the existing records that are deleted with `names`, including `names`. Cycles are allowed.
    private static func cascade(from names: [String], in records: [String: ModelRecord]) -> Set<String> {
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
    fileprivate var isDeletion: Bool { if case .deleted = self { true } else { false } }
}
