package import CloudKitModel

/// What is put into a format in place of `%@` and the like.
package enum FormatArgument: Hashable, Sendable {
    /// A value, or a list of them: `%@`; a number also `%d`, `%lf` and the like, a text also `%s`.
    case value(FieldValue)
    /// The name of a field: `%K`.
    case keyPath(String)
    /// No value: `%@`.
    case null
}
