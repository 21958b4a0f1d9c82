/// The reason why a pattern is not a valid regular expression or is not supported.
package struct RegularExpressionError: Error, Hashable, Sendable {
    /// One human-readable sentence: `A back-reference '\1' is not supported`.
    package let message: String
    /// The index of the invalid scalar in the pattern, counted from 0. If something is missing at the end, this is the
    /// number of scalars in the pattern.
    package let offset: Int
}
