/// An error as it is told to a client: of a whole request, or of one item among many.
///
/// `code` is what every client knows; `reasonCode` is what a program should look at; `reason` is for people and
/// names the field or limit. None of them carries more of a client's data than names.
package struct ServerError: Error, Hashable, Sendable {
    /// The wire's code, which decides the HTTP status.
    package var code: ServerErrorCode
    /// CKError's integer, finer than `code`.
    package var ckErrorCode: Int
    /// The text for people. Some clients match a few of these word for word.
    package var reason: String
    /// A stable snake_case word.
    package var reasonCode: String
    /// The field, or the key of the request, that is at fault.
    package var field: String?
    /// The limit that was crossed, in its own unit.
    package var limit: Int?
    /// The value met, in the unit of `limit`.
    package var actual: Int?
    /// Seconds after which trying again makes sense; nil if it makes none.
    package var retryAfter: Int?
    /// The line of a text that is at fault, from 1.
    package var line: Int?
    /// The character of that line, from 1.
    package var column: Int?
    /// The record the error is about.
    package var recordName: String?
    /// The zone the error is about.
    package var zoneID: ZoneID?

    /// An error; `ckErrorCode` is the usual one of `code` unless given.
    package init(
        _ code: ServerErrorCode, _ ckErrorCode: CKErrorCode? = nil, reasonCode: String, reason: String,
        field: String? = nil, limit: Int? = nil, actual: Int? = nil, retryAfter: Int? = nil
    ) {
        self.code = code
        self.ckErrorCode = (ckErrorCode ?? code.ckErrorCode).rawValue
        self.reason = reason
        self.reasonCode = reasonCode
        self.field = field
        self.limit = limit
        self.actual = actual
        self.retryAfter = retryAfter
    }

    /// The refusal of a name or number, as an error of the request or item.
    package init(_ error: ValidationError, field: String? = nil) {
        self.init(
            .badRequest, reasonCode: error.reasonCode, reason: error.reason, field: field, limit: error.limit,
            actual: error.actual)
    }

    /// The same error, about `recordName`.
    package func about(recordName: String?) -> ServerError {
        var error = self
        error.recordName = recordName
        return error
    }

    /// The same error, about `zoneID`.
    package func about(zoneID: ZoneID?) -> ServerError {
        var error = self
        error.zoneID = zoneID
        return error
    }
}
