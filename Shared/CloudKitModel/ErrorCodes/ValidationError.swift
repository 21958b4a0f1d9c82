/// The reason why a name or number received from outside was rejected.
package struct ValidationError: Error, Equatable, Sendable {
    /// The error's reason code, e.g. ``ReasonCode/recordNameTooLong``.
    package let reasonCode: ReasonCode
    /// One human-readable sentence. It names the rule and contains no data other than the name itself.
    package let reason: String
    /// The largest permitted value, if a limit was exceeded.
    package let limit: Int?
    /// The actual value, in the unit of `limit`.
    package let actual: Int?

    /// Creates an error.
    package init(_ reasonCode: ReasonCode, _ reason: String, limit: Int? = nil, actual: Int? = nil) {
        self.reasonCode = reasonCode
        self.reason = reason
        self.limit = limit
        self.actual = actual
    }
}
