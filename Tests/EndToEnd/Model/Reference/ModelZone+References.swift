/// References are judged on what a batch leaves behind, whatever its order (semantics 4.4): first its saves, then its
/// deletions with everything that they take along, then the checks.
extension ModelZone {
    /// The records after the items that succeed.
    func outcome(of items: [ModelItem]) -> [String: ModelRecord] {
        var after = saved(items)
        for name in Self.cascade(from: items.filter(\.isDeletion).map(\.name), in: after) { after[name] = nil }
        return after
    }

    /// The items that may not succeed: saves of records that stay, and name one that they need and that is not there; when
    /// there are none, the deletions that take away what a record that stays needs.
    func breakers(of items: [ModelItem], naming named: [Set<String>]) -> [Int] {
        let before = saved(items)
        let after = outcome(of: items)
        let saves = items.indices.filter { index in
            guard let record = items[index].record, after[record.name] != nil else { return false }
            return !named[index].allSatisfy { after[$0] != nil }
        }
        // A save that fails needs nothing.
        guard saves.isEmpty else { return saves }
        let needed = after.values.reduce(into: Set()) { $0.formUnion($1.needed) }
        return items.indices.filter { index in
            items[index].isDeletion && !needed.isDisjoint(with: Self.cascade(from: [items[index].name], in: before))
        }
    }

    private func saved(_ items: [ModelItem]) -> [String: ModelRecord] {
        items.compactMap(\.record).reduce(into: records) { $0[$1.name] = $1 }
    }

    /// The records that go with `names`, themselves included, as far as they are there. Cycles end.
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
