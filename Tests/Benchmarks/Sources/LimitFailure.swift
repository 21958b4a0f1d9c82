/// Why a limit could not be measured.
package struct LimitFailure: Error, CustomStringConvertible {
    /// A sentence for the person who measures.
    package let description: String

    /// A failure with that explanation.
    package init(_ description: String) { self.description = description }
}
