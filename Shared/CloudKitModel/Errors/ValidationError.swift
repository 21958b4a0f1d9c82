/// Why a name or a number from outside was refused before it became a value of this module.
package struct ValidationError: Error, Equatable, Sendable {
    /// The error's row, e.g. ``ReasonCode/recordNameTooLong``.
    package let reasonCode: ReasonCode
    /// One sentence for people; it names the rule, never more than a name's own text.
    package let reason: String
    /// The largest permitted value, when a limit was crossed.
    package let limit: Int?
    /// The value met, in the unit of `limit`.
    package let actual: Int?

    /// Describes one refusal.
    package init(_ reasonCode: ReasonCode, _ reason: String, limit: Int? = nil, actual: Int? = nil) {
        self.reasonCode = reasonCode
        self.reason = reason
        self.limit = limit
        self.actual = actual
    }
}
