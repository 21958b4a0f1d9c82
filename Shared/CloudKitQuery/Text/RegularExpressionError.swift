/// The reason why a pattern is not a regular expression, or is not supported.
package struct RegularExpressionError: Error, Hashable, Sendable {
    /// One sentence for people: `A back-reference '\1' is not supported`.
    package let message: String
    /// The index of the invalid scalar in the pattern, from 0. If something is missing at the end, this is one past
    /// the last scalar.
    package let offset: Int
}
