internal import CloudKitModel
internal import CloudKitQuery

/// Refuses, in ``Profile/compat``, the predicates that CloudKit's queries do not support (semantics 7.3).
enum CompatRules {
    /// Checks a predicate.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the unsupported part.
    static func check(_ predicate: BoundPredicate) throws(ServerError) {
        switch predicate {
        case .and(let predicates):
            for predicate in predicates { try check(predicate) }
        case .or(let predicates):
            // An empty OR is FALSEPREDICATE.
            guard predicates.isEmpty else { throw .predicateNotSupported("OR is not supported") }
        case .not(.comparison(let comparison)):
            try check(comparison)
            try checkNegation(of: comparison)
        case .not: throw .predicateNotSupported("NOT is supported only for single comparisons")
        case .comparison(let comparison): try check(comparison)
        }
    }

    private static func checkNegation(of comparison: BoundComparison) throws(ServerError) {
        let what: String
        switch comparison.test {
        case .between: what = "BETWEEN"
        case .tokens: what = "a search for words"
        case .distance: what = "a distance"
        default: return
        }
        throw .predicateNotSupported("NOT with \(what) is not supported", field: comparison.operand.name)
    }

    private static func check(_ comparison: BoundComparison) throws(ServerError) {
        let field = comparison.operand.name
        switch comparison.test {
        case .text(let text) where !text.options.isEmpty && !text.kind.isContains:
            throw .predicateNotSupported("The options c and d are not supported", field: field)
        case .text(let text) where text.kind.isPrefix: return
        case .text(let text) where text.kind.isContains:
            throw .predicateNotSupported(
                "CONTAINS on a string field is not supported; use SEARCHABLE and self CONTAINS, or BEGINSWITH",
                field: field)
        case .text: throw .predicateNotSupported("ENDSWITH and LIKE are not supported", field: field)
        case .matches: throw .predicateNotSupported("MATCHES is not supported", field: field)
        case .exists: throw .predicateNotSupported("A comparison with nil is not supported", field: field)
        case .distance(.greater, _, _), .distance(.greaterOrEqual, _, _):
            throw .predicateNotSupported("A distance is supported only with < and <=", field: field)
        case .relation(let relation, _) where comparison.isAny && relation != .equal:
            throw .predicateNotSupported("ANY is supported only with ==, IN and BEGINSWITH", field: field)
        case .between where comparison.isAny:
            throw .predicateNotSupported("ANY is supported only with ==, IN and BEGINSWITH", field: field)
        default: return
        }
    }
}
