/// The error codes on the wire. Clients decode them as a closed set of exactly these fourteen codes.
///
/// | code | HTTP | `ckErrorCode` | meaning |
/// | --- | --- | --- | --- |
/// | `ACCESS_DENIED` | 403 | 10 | no permission for the endpoint, record, zone or database |
/// | `ATOMIC_ERROR` | 400 | 22 | not applied because another operation of the atomic batch failed |
/// | `AUTHENTICATION_FAILED` | 401 | 9 | credentials rejected |
/// | `AUTHENTICATION_REQUIRED` | 421 | 9 | the user must sign in |
/// | `BAD_REQUEST` | 400 | 12 | the request is malformed or cannot be executed |
/// | `CONFLICT` | 409 | 14 | the change tag is not current, or the record to create already exists |
/// | `EXISTS` | 409 | 14 | the item to create already exists |
/// | `INTERNAL_ERROR` | 500 | 1 | the service failed |
/// | `NOT_FOUND` | 404 | 11 | the record, subscription or other item does not exist |
/// | `QUOTA_EXCEEDED` | 413 | 25 | the application's or user's storage is full |
/// | `THROTTLED` | 429 | 7 | too many requests; `retryAfter` contains the delay |
/// | `TRY_AGAIN_LATER` | 503 | 6 | a temporary fault; `retryAfter` contains the delay |
/// | `VALIDATING_REFERENCE_ERROR` | 412 | 31 | a validating reference would be violated |
/// | `ZONE_NOT_FOUND` | 404 | 26 | the zone does not exist |
///
/// The HTTP status applies if the whole request fails with the code. The error of a single item is part of a reply with
/// status 200.
package enum ServerErrorCode: String, CaseIterable, Hashable, Sendable {
    case accessDenied = "ACCESS_DENIED"
    case atomicError = "ATOMIC_ERROR"
    case authenticationFailed = "AUTHENTICATION_FAILED"
    case authenticationRequired = "AUTHENTICATION_REQUIRED"
    case badRequest = "BAD_REQUEST"
    case conflict = "CONFLICT"
    case exists = "EXISTS"
    case internalError = "INTERNAL_ERROR"
    case notFound = "NOT_FOUND"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case throttled = "THROTTLED"
    case tryAgainLater = "TRY_AGAIN_LATER"
    case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
    case zoneNotFound = "ZONE_NOT_FOUND"

    /// The HTTP status of the reply if the whole request failed with this code.
    package var httpStatus: Int {
        switch self {
        case .accessDenied: 403
        case .atomicError: 400
        case .authenticationFailed: 401
        case .authenticationRequired: 421
        case .badRequest: 400
        case .conflict: 409
        case .exists: 409
        case .internalError: 500
        case .notFound: 404
        case .quotaExceeded: 413
        case .throttled: 429
        case .tryAgainLater: 503
        case .validatingReferenceError: 412
        case .zoneNotFound: 404
        }
    }

    /// The `CKError` code of an error with this code, unless the error specifies a different one.
    package var ckErrorCode: CKErrorCode {
        switch self {
        case .accessDenied: .permissionFailure
        case .atomicError: .batchRequestFailed
        case .authenticationFailed: .notAuthenticated
        case .authenticationRequired: .notAuthenticated
        case .badRequest: .invalidArguments
        case .conflict: .serverRecordChanged
        case .exists: .serverRecordChanged
        case .internalError: .internalError
        case .notFound: .unknownItem
        case .quotaExceeded: .quotaExceeded
        case .throttled: .requestRateLimited
        case .tryAgainLater: .serviceUnavailable
        case .validatingReferenceError: .referenceViolation
        case .zoneNotFound: .zoneNotFound
        }
    }
}
