extension Predicate {
    /// The equivalent predicate with the fewest levels. An AND within an AND is merged into the outer one, and likewise
    /// an OR within an OR. An AND or OR of one predicate is replaced by that predicate. Parsing a format returns a
    /// flattened predicate.
    package var flattened: Predicate {
        switch self {
        case .and(let parts): .conjunction(of: parts.map(\.flattened))
        case .or(let parts): .disjunction(of: parts.map(\.flattened))
        case .not(let predicate): .not(predicate.flattened)
        case .comparison: self
        }
    }

    /// Returns the flattened conjunction of `parts`, which must be flattened.
    static func conjunction(of parts: [Predicate]) -> Predicate {
        let all = parts.flatMap { part in if case .and(let inner) = part { inner } else { [part] } }
        return all.count == 1 ? all[0] : .and(all)
    }

    /// Returns the flattened disjunction of `parts`, which must be flattened.
    static func disjunction(of parts: [Predicate]) -> Predicate {
        let all = parts.flatMap { part in if case .or(let inner) = part { inner } else { [part] } }
        return all.count == 1 ? all[0] : .or(all)
    }

    /// The number of nested levels of AND, OR and NOT.
    var levels: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.map(\.levels).max() ?? 0)
        case .not(let predicate): 1 + predicate.levels
        case .comparison: 0
        }
    }
}
