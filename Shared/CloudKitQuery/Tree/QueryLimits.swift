/// The limits on predicates from any source. A larger predicate is rejected before any other work is done on it.
package enum QueryLimits {
    /// Bytes of a predicate's format string.
    package static let maxFormatBytes = 65_536
    /// Nested levels of AND, OR and NOT, and of parentheses.
    package static let maxDepth = 24
    /// Comparisons in a predicate.
    package static let maxComparisons = 256
    /// Terms of the disjunctive normal form, which are the combinations to search for (semantics 7.3).
    package static let maxTerms = 64
    /// Values in all lists of a predicate combined: those of `IN`, and those of `CONTAINS` with several values.
    package static let maxValues = 1_000
    /// Bytes of a string that a field is compared with or that fields are searched for, including all patterns except
    /// those of LIKE.
    package static let maxTextBytes = 16_384
    /// Bytes of a LIKE pattern.
    package static let maxPatternBytes = 1_024
    /// Bytes of a regular expression.
    package static let maxRegularExpressionBytes = 1_024
    /// Sort keys of a query.
    package static let maxSorts = 16
}
