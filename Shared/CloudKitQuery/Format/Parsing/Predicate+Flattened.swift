extension Predicate {
    /// The equivalent predicate with the fewest levels: an AND within an AND is merged into it, likewise OR, and an
    /// AND or OR of one predicate is replaced by that predicate. Parsing a format returns a flat predicate.
    package var flattened: Predicate {
        switch self {
        case .and(let parts): .conjunction(of: parts.map(\.flattened))
        case .or(let parts): .disjunction(of: parts.map(\.flattened))
        case .not(let predicate): .not(predicate.flattened)
        case .comparison: self
        }
    }

    /// The conjunction of `parts`, which must be flat.
    static func conjunction(of parts: [Predicate]) -> Predicate {
        let all = parts.flatMap { part in if case .and(let inner) = part { inner } else { [part] } }
        return all.count == 1 ? all[0] : .and(all)
    }

    /// The disjunction of `parts`, which must be flat.
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
