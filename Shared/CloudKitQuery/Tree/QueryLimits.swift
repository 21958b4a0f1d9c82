/// What a predicate may be, whoever makes it: what is larger is refused before any work is done on it.
package enum QueryLimits {
    /// Bytes of a predicate's format string.
    package static let maxFormatBytes = 65_536
    /// Levels of AND, OR and NOT within each other, and of parentheses.
    package static let maxDepth = 24
    /// Comparisons.
    package static let maxComparisons = 256
    /// Terms of the disjunctive normal form: the combinations that have to be looked for (semantics 7.3).
    package static let maxTerms = 64
    /// Values in all lists (`IN`, `CONTAINS` of several).
    package static let maxValues = 1_000
    /// Bytes of a text that a field is compared with, of any kind of pattern and of a text to be searched.
    package static let maxTextBytes = 16_384
    /// Bytes of a LIKE's pattern.
    package static let maxPatternBytes = 1_024
    /// Bytes of a regular expression.
    package static let maxRegularExpressionBytes = 1_024
    /// Sort keys.
    package static let maxSorts = 16
}
