package import CloudKitModel

/// An argument for a placeholder of a format.
package enum FormatArgument: Hashable, Sendable {
    /// A value, or a list of values: `%@`; for a number also `%d`, `%lf` and the like, for a string also `%s`.
    case value(FieldValue)
    /// The name of a field: `%K`.
    case keyPath(String)
    /// A null value: `%@`.
    case null
}
