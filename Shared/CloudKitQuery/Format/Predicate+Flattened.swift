extension Predicate {
    /// The same question with as few levels as it takes: an AND within an AND becomes part of it, likewise OR, and an
    /// AND or OR of one predicate is that predicate. What formats are read to is flat.
    package var flattened: Predicate {
        switch self {
        case .and(let parts): .conjunction(of: parts.map(\.flattened))
        case .or(let parts): .disjunction(of: parts.map(\.flattened))
        case .not(let predicate): .not(predicate.flattened)
        case .comparison: self
        }
    }

    /// All of `parts`, which are flat.
    static func conjunction(of parts: [Predicate]) -> Predicate {
        let all = parts.flatMap { part in if case .and(let inner) = part { inner } else { [part] } }
        return all.count == 1 ? all[0] : .and(all)
    }

    /// At least one of `parts`, which are flat.
    static func disjunction(of parts: [Predicate]) -> Predicate {
        let all = parts.flatMap { part in if case .or(let inner) = part { inner } else { [part] } }
        return all.count == 1 ? all[0] : .or(all)
    }

    /// The levels of AND, OR and NOT within each other.
    var levels: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.map(\.levels).max() ?? 0)
        case .not(let predicate): 1 + predicate.levels
        case .comparison: 0
        }
    }
}
