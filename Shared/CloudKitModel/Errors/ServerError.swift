/// An error as it is told to a client: of a whole request, or of one item among many.
///
/// `code` is what every client knows; `reasonCode` is what a program should look at; `reason` is for people and
/// names the field or limit. None of them carries more of a client's data than names.
package struct ServerError: Error, Hashable, Sendable {
    /// The wire's code, which decides the HTTP status.
    package private(set) var code: ServerErrorCode
    /// CKError's integer, finer than `code`.
    package private(set) var ckErrorCode: Int
    /// The text for people. Some clients match a few of these word for word.
    package var reason: String
    /// A stable snake_case word: a ``ReasonCode``, unless another version of a service worded it.
    package private(set) var reasonCode: String
    /// The field, or the key of the request, that is at fault.
    package var field: String?
    /// The limit that was crossed, in its own unit.
    package var limit: Int?
    /// The value met, in the unit of `limit`.
    package var actual: Int?
    /// Seconds after which trying again makes sense; nil if it makes none.
    package var retryAfter: Int?
    /// The type of the record the error is about, as far as the type matters.
    package var recordType: String?
    /// The line of a text that is at fault, from 1.
    package var line: Int?
    /// The character of that line, from 1.
    package var column: Int?
    /// The record the error is about.
    package var recordName: RecordName?
    /// The zone the error is about.
    package var zoneID: ZoneID?

    /// An error of the table, which decides its codes, and `retryAfter` unless that is given.
    package init(
        _ reasonCode: ReasonCode, _ reason: String, field: String? = nil, recordType: String? = nil,
        limit: Int? = nil, actual: Int? = nil, retryAfter: Int? = nil
    ) {
        let entry = reasonCode.entry
        code = entry.code
        ckErrorCode = entry.ckErrorCode.rawValue
        self.reason = reason
        self.reasonCode = reasonCode.rawValue
        self.field = field
        self.recordType = recordType
        self.limit = limit
        self.actual = actual
        self.retryAfter = retryAfter ?? entry.retryAfter
    }

    /// An error that was made elsewhere or earlier, as it was told: its words may be those of another version.
    ///
    /// - Parameter ckErrorCode: The usual one of `code` if nil.
    package init(
        told code: ServerErrorCode, ckErrorCode: Int?, reasonCode: String, reason: String, field: String? = nil,
        recordType: String? = nil, limit: Int? = nil, actual: Int? = nil, retryAfter: Int? = nil
    ) {
        self.code = code
        self.ckErrorCode = ckErrorCode ?? code.ckErrorCode.rawValue
        self.reason = reason
        self.reasonCode = reasonCode
        self.field = field
        self.recordType = recordType
        self.limit = limit
        self.actual = actual
        self.retryAfter = retryAfter
    }

    /// The refusal of a name or number, as an error of the request or item.
    package init(_ error: ValidationError, field: String? = nil) {
        self.init(error.reasonCode, error.reason, field: field, limit: error.limit, actual: error.actual)
    }

    /// The same error, about `recordName`.
    package func about(recordName: RecordName?) -> ServerError {
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
