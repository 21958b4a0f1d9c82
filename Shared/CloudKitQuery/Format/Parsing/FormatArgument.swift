package import CloudKitModel

/// An argument for a placeholder in a format.
package enum FormatArgument: Hashable, Sendable {
    /// A value or a list of values, for `%@`. A number may also replace `%d`, `%lf` and similar placeholders, and a
    /// string may replace `%s`.
    case value(FieldValue)
    /// The name of a field, for `%K`.
    case keyPath(String)
    /// A null value, for `%@`.
    case null
}
