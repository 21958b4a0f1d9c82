/// An error reported to a client, for a whole request or for one of its items.
///
/// Every client can decode all values of `code`. Programs should distinguish errors by `reasonCode`. `reason` is a
/// human-readable message that names the field or limit. None of the three contains client data other than names.
package struct ServerError: Error, Hashable, Sendable {
    /// The wire code, which determines the HTTP status.
    package private(set) var code: ServerErrorCode
    /// The `CKError` code as an integer, more specific than `code`.
    package private(set) var ckErrorCode: Int
    /// The human-readable message. Some clients match a few of these messages verbatim.
    package var reason: String
    /// A stable identifier in snake_case: the raw value of a ``ReasonCode``, or a code used by another version of a
    /// service.
    package private(set) var reasonCode: String
    /// The field, or the key of the request, that caused the error.
    package var field: String?
    /// The limit that was exceeded.
    package var limit: Int?
    /// The actual value, in the unit of `limit`.
    package var actual: Int?
    /// The number of seconds after which to retry; nil if retrying does not help.
    package var retryAfter: Int?
    /// The type of the record that the error concerns; nil if the type is irrelevant.
    package var recordType: String?
    /// The line of the error, counted from 1, in text such as a schema.
    package var line: Int?
    /// The position of the error within its line, in characters counted from 1.
    package var column: Int?
    /// The record that the error concerns.
    package var recordName: RecordName?
    /// The zone that the error concerns.
    package var zoneID: ZoneID?

    /// Creates an error from the ``ReasonCode/entry`` of `reasonCode`. The entry determines the codes, and also
    /// `retryAfter` if none is given.
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

    /// Creates an error that another service, or an earlier execution, reported. Its reason code might be one that this
    /// version does not define.
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

    /// Creates an error for a name or number that was rejected.
    package init(_ error: ValidationError, field: String? = nil) {
        self.init(error.reasonCode, error.reason, field: field, limit: error.limit, actual: error.actual)
    }

    /// Returns the same error for `recordName`.
    package func about(recordName: RecordName?) -> ServerError {
        var error = self
        error.recordName = recordName
        return error
    }

    /// Returns the same error for `zoneID`.
    package func about(zoneID: ZoneID?) -> ServerError {
        var error = self
        error.zoneID = zoneID
        return error
    }
}
