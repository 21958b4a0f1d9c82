/// The limits of a predicate, whatever its origin. A larger predicate is rejected before any work on it.
package enum QueryLimits {
    /// Bytes of a predicate's format string.
    package static let maxFormatBytes = 65_536
    /// Nested levels of AND, OR and NOT, and of parentheses.
    package static let maxDepth = 24
    /// Comparisons.
    package static let maxComparisons = 256
    /// Terms of the disjunctive normal form: the combinations to search for (semantics 7.3).
    package static let maxTerms = 64
    /// Values in all lists (`IN`, `CONTAINS` of several).
    package static let maxValues = 1_000
    /// Bytes of a string that a field is compared with, including patterns other than LIKE, and of a string to
    /// search for.
    package static let maxTextBytes = 16_384
    /// Bytes of a LIKE pattern.
    package static let maxPatternBytes = 1_024
    /// Bytes of a regular expression.
    package static let maxRegularExpressionBytes = 1_024
    /// Sort keys.
    package static let maxSorts = 16
}
