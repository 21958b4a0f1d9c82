/// References are judged on what a batch leaves behind, whatever its order (semantics 4.4): first its saves, then its
/// deletions with everything that they take along, then the checks.
extension ModelZone {
    /// The records after the items that succeed.
    func outcome(of items: [ModelItem]) -> [String: ModelRecord] {
        var after = saved(items)
        for name in Self.cascade(from: items.filter(\.isDeletion).map(\.name), in: after) { after[name] = nil }
        return after
    }

    /// The items that may not succeed: a save of a record that stays, and names one that it needs and that is not there;
    /// and a deletion that takes away what a record that stays needs.
    func breakers(of items: [ModelItem], naming named: [Set<String>]) -> [Int] {
        let before = saved(items)
        let after = outcome(of: items)
        return items.indices.filter { index in
            switch items[index] {
            case .saved(let record): after[record.name] != nil && !named[index].allSatisfy { after[$0] != nil }
            case .deleted(let name):
                after.values.contains { !$0.needed.isDisjoint(with: Self.cascade(from: [name], in: before)) }
            case .failed: false
            }
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
