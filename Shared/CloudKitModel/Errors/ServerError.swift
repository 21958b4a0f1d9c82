/// An error reported to a client, of a whole request or of one item.
///
/// `code` is known to every client; programs should use `reasonCode`; `reason` is for people and names the field or
/// limit. Apart from names, none of them contains client data.
package struct ServerError: Error, Hashable, Sendable {
    /// The wire code, which determines the HTTP status.
    package private(set) var code: ServerErrorCode
    /// The `CKError` code as an integer, finer than `code`.
    package private(set) var ckErrorCode: Int
    /// The message for people. Some clients match a few messages verbatim.
    package var reason: String
    /// A stable identifier in snake_case: the raw value of a ``ReasonCode``, or one that another version of a
    /// service uses.
    package private(set) var reasonCode: String
    /// The field, or the key of the request, that caused the error.
    package var field: String?
    /// The limit that was exceeded, in its own unit.
    package var limit: Int?
    /// The actual value, in the unit of `limit`.
    package var actual: Int?
    /// The number of seconds after which to retry; nil if retrying does not help.
    package var retryAfter: Int?
    /// The type of the record that the error concerns, where the type matters.
    package var recordType: String?
    /// The line of the text that caused the error, from 1.
    package var line: Int?
    /// The character within that line, from 1.
    package var column: Int?
    /// The record that the error concerns.
    package var recordName: RecordName?
    /// The zone that the error concerns.
    package var zoneID: ZoneID?

    /// Creates an error from its row in the table, which determines its codes, and `retryAfter` unless that is
    /// given.
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

    /// Creates an error that was reported elsewhere or earlier. Its reason code may come from another version.
    ///
    /// - Parameter ckErrorCode: Defaults to the usual code for `code`.
    package init(
        reported code: ServerErrorCode, ckErrorCode: Int?, reasonCode: String, reason: String, field: String? = nil,
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

    /// Creates an error of the request or item from the rejection of a name or number.
    package init(_ error: ValidationError, field: String? = nil) {
        self.init(error.reasonCode, error.reason, field: field, limit: error.limit, actual: error.actual)
    }

    /// The same error for `recordName`.
    package func about(recordName: RecordName?) -> ServerError {
        var error = self
        error.recordName = recordName
        return error
    }

    /// The same error for `zoneID`.
    package func about(zoneID: ZoneID?) -> ServerError {
        var error = self
        error.zoneID = zoneID
        return error
    }
}
