package import CloudKitModel
package import CloudKitWire

/// Conversion between filters (web-services 3.7) and predicates.
extension Predicate {
    /// Creates the conjunction of the filters in `filterBy`.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the field of the invalid filter.
    package init(filters: [WireFilter]) throws(ServerError) {
        self = .and(try Self.predicates(filters)).unwrapped
    }

    private init(_ filter: WireFilter) throws(ServerError) {
        switch filter {
        case .and(let filters): self = .and(try Self.predicates(filters))
        case .or(let filters): self = .or(try Self.predicates(filters))
        case .not(let filter): self = .not(try Predicate(filter))
        case .comparison(let wire):
            guard let comparator = Comparator(name: wire.comparator) else {
                throw ServerError(
                    .unknownComparator, "Unknown comparator '\(wire.comparator)'", field: wire.name)
            }
            let comparison = Predicate.comparison(try Comparison(wire, comparator))
            self = comparator.isNegated ? .not(comparison) : comparison
        }
    }

    private static func predicates(_ filters: [WireFilter]) throws(ServerError) -> [Predicate] {
        var predicates: [Predicate] = []
        for filter in filters { predicates.append(try Predicate(filter)) }
        return predicates
    }

    /// The equivalent `filterBy`, with CloudKit's own filters wherever they can express the predicate.
    package var filters: [WireFilter] {
        if case .and(let predicates) = self { return predicates.map(\.filter) }
        return [filter]
    }

    /// The equivalent single element of `filterBy`.
    package var filter: WireFilter {
        switch self {
        case .and(let predicates): .and(predicates.map(\.filter))
        case .or(let predicates): .or(predicates.map(\.filter))
        case .not(.comparison(let comparison)): comparison.filter(isNegated: true) ?? .not(comparison.filter)
        case .not(let predicate): .not(predicate.filter)
        case .comparison(let comparison): comparison.filter
        }
    }

    /// The only member, if the predicate is a conjunction of one predicate; otherwise the predicate itself.
    private var unwrapped: Predicate {
        if case .and(let predicates) = self, predicates.count == 1 { return predicates[0] }
        return self
    }
}

extension Comparison {
    /// Returns the filter for the comparison or, if `isNegated`, for its negation; nil if no comparator expresses it.
    fileprivate func filter(isNegated: Bool) -> WireFilter? {
        let comparator = Comparator(comparator, quantifier, isNegated: isNegated)
        return comparator.name.map { .comparison(wire(name: $0)) }
    }

    fileprivate var filter: WireFilter {
        let comparator = Comparator(comparator, quantifier)
        return .comparison(wire(name: comparator.name ?? comparator.base.rawValue))
    }
}
