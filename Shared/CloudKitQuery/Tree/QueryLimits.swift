/// The limits on predicates from any source. A larger predicate is rejected before any other work is done on it.
package enum QueryLimits {
    /// The number of bytes in a predicate's format string.
    package static let maxFormatBytes = 65_536
    /// The number of nested levels of AND, OR and NOT, and of parentheses.
    package static let maxDepth = 24
    /// The number of comparisons in a predicate.
    package static let maxComparisons = 256
    /// The number of terms in the disjunctive normal form. Each term is a combination to search for (semantics 7.3).
    package static let maxTerms = 64
    /// The total number of values in all lists of a predicate: those of `IN`, and those of `CONTAINS` with several
    /// values.
    package static let maxValues = 1_000
    /// The number of bytes in a string with which a field is compared or for which fields are searched. This limit also
    /// applies to patterns, except those of LIKE.
    package static let maxTextBytes = 16_384
    /// The number of bytes in a LIKE pattern.
    package static let maxPatternBytes = 1_024
    /// The number of bytes in a regular expression.
    package static let maxRegularExpressionBytes = 1_024
    /// The number of sort keys in a query.
    package static let maxSorts = 16
}
