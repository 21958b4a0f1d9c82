/// The reason for which a limit could not be measured.
package struct LimitFailure: Error, CustomStringConvertible {
    /// The reason as text.
    package let description: String

    /// Creates a failure with a reason.
    package init(_ description: String) { self.description = description }
}
