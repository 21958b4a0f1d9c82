/// The key of a dictionary with the errors of a ``CKError/Code/partialFailure`` by the IDs of their items.
public let CKPartialErrorsByItemIDKey: String = "CKPartialErrors"
/// The key of the record that the client last fetched, in a ``CKError/Code/serverRecordChanged``.
public let CKRecordChangedErrorAncestorRecordKey: String = "AncestorRecord"
/// The key of the record that is on the server, in a ``CKError/Code/serverRecordChanged``.
public let CKRecordChangedErrorServerRecordKey: String = "ServerRecord"
/// The key of the record that the client tried to save, in a ``CKError/Code/serverRecordChanged``.
public let CKRecordChangedErrorClientRecordKey: String = "ClientRecord"
/// The key of the number of seconds after which the request may be repeated.
public let CKErrorRetryAfterKey: String = "CKRetryAfter"
/// The key of a Boolean, true if the keys of the zone's encrypted values were reset, in a
/// ``CKError/Code/zoneNotFound``.
public let CKErrorUserDidResetEncryptedDataKey: String = "CKUserDidResetEncryptedData"

/// The keys of the details that Zonda's services add to an error. Apple's framework does not have them.
public enum ZondaErrorKey {
    /// The cause, as one of the stable words that `deploy/docs/errors.md` lists, such as `change_tag_stale`.
    public static let reasonCode = "ZondaReasonCode"
    /// The cause, as a sentence.
    public static let reason = "ServerErrorDescription"
    /// The remedy, as a sentence.
    public static let hint = "ZondaHint"
    /// The ID of the request, which is also in the services' logs.
    public static let requestID = "RequestUUID"
    /// The code of CloudKit Web Services, such as `CONFLICT`.
    public static let serverErrorCode = "ZondaServerErrorCode"
    /// The status of the HTTP answer.
    public static let httpStatus = "CKHTTPStatus"
    /// The name of the field or key that caused the error.
    public static let field = "ZondaField"
    /// The record type of the field.
    public static let recordType = "ZondaRecordType"
    /// The limit that was exceeded.
    public static let limit = "ZondaLimit"
    /// The actual value, in the unit of the limit.
    public static let actual = "ZondaActual"
    /// The location of the error's documentation.
    public static let documentation = "ZondaDocumentation"
    /// The address of the page at which the user can sign in.
    public static let signInURL = "ZondaSignInURL"
}
