internal import CloudKitModel

/// The size of a predicate, computed before any other work is done on it.
struct PredicateSize {
    private var depth = 0
    private var comparisons = 0
    private var values = 0
    private var largestText = 0
    private var largestPattern = 0
    private let terms: Int

    init(_ predicate: Predicate) {
        terms = predicate.terms(isNegated: false)
        count(predicate, depth: 1)
    }

    /// Checks the size against ``QueryLimits``.
    ///
    /// - Throws: `BAD_REQUEST` with the exceeded limit.
    func check() throws(ServerError) {
        try check(depth, "levels of AND, OR and NOT", QueryLimits.maxDepth)
        try check(comparisons, "comparisons", QueryLimits.maxComparisons)
        try check(values, "values in lists", QueryLimits.maxValues)
        try check(largestText, "bytes in one string", QueryLimits.maxTextBytes)
        try check(largestPattern, "bytes in one pattern", QueryLimits.maxPatternBytes)
        try check(terms, "terms when written as an OR of ANDs", QueryLimits.maxTerms)
    }

    private func check(_ actual: Int, _ what: String, _ limit: Int) throws(ServerError) {
        guard actual > limit else { return }
        throw ServerError(
            .predicateTooLarge, "The predicate has \(actual) \(what); the limit is \(limit)", field: "filterBy",
            limit: limit, actual: actual)
    }

    private mutating func count(_ predicate: Predicate, depth: Int) {
        switch predicate {
        case .and(let predicates), .or(let predicates):
            self.depth = max(self.depth, depth)
            for predicate in predicates { count(predicate, depth: depth + 1) }
        case .not(let predicate):
            self.depth = max(self.depth, depth)
            count(predicate, depth: depth + 1)
        case .comparison(let comparison): count(comparison.test)
        }
    }

    private mutating func count(_ test: Test) {
        comparisons += 1
        switch test {
        case .relation(_, let value, _), .contains(let value, _): count(value)
        case .between(let low, let high):
            count(low)
            count(high)
        case .oneOf(let values, _), .containsAll(let values):
            self.values += values.count
            for value in values { count(value) }
        case .text(.like, let text, _): largestPattern = max(largestPattern, text.utf8.count)
        case .text(_, let text, _), .tokens(let text, _): largestText = max(largestText, text.utf8.count)
        case .distance, .exists: break
        }
    }

    private mutating func count(_ value: FieldValue) {
        if case .string(let text) = value { largestText = max(largestText, text.utf8.count) }
    }
}

extension Predicate {
    /// Returns the number of terms in the disjunctive normal form. To prevent overflow, the number is capped well above
    /// the limit.
    fileprivate func terms(isNegated: Bool) -> Int {
        switch self {
        case .and(let predicates) where !isNegated, .or(let predicates) where isNegated:
            return predicates.reduce(1) { Self.bounded($0 * max(1, $1.terms(isNegated: isNegated))) }
        case .and(let predicates), .or(let predicates):
            return predicates.reduce(0) { Self.bounded($0 + $1.terms(isNegated: isNegated)) }
        case .not(let predicate): return predicate.terms(isNegated: !isNegated)
        case .comparison: return 1
        }
    }

    private static func bounded(_ terms: Int) -> Int { min(terms, 1_000_000) }
}
