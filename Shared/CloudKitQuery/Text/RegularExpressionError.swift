/// Why a text is not a regular expression, or is one that is not taken.
package struct RegularExpressionError: Error, Hashable, Sendable {
    /// One sentence for people: `A back-reference '\1' is not supported`.
    package let message: String
    /// Which scalar of the pattern is at fault, from 0; what is missing at the end is one past the last.
    package let offset: Int
}
