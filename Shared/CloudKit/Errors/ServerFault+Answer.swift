internal import CloudKitWire

/// The errors of answers whose body is not an error dictionary.
extension CKError {
    /// The error for an answer that is not JSON, or is not what the request asked for.
    static func unexpectedAnswer(_ explanation: String, requestID: String? = nil) -> CKError {
        var details: [String: Any] = [:]
        details[ZondaErrorKey.requestID] = requestID
        return CKError(.internalError, "The server's answer cannot be read: \(explanation).", details: details)
    }

    /// Reads the error of an HTTP answer with a status other than 200.
    ///
    /// - Parameters:
    ///   - retryAfter: the header `Retry-After`, for answers of proxies.
    ///   - requestID: the header `X-Apple-Request-UUID`.
    static func answer(status: Int, body: [UInt8], retryAfter: String?, requestID: String?) -> CKError {
        var details: [String: Any] = [:]
        details[ZondaErrorKey.requestID] = requestID
        if let fault = (try? JSONValue(parsing: body)).flatMap({ ServerFault($0) }) {
            return fault.error(status: status, adding: details)
        }
        details[ZondaErrorKey.httpStatus] = NSNumber(value: status)
        details[CKErrorRetryAfterKey] = retryAfter.flatMap { Double($0) }.map { NSNumber(value: $0) }
        let code: CKError.Code =
            switch status {
            case 401, 421: .notAuthenticated
            case 403: .permissionFailure
            case 413: .limitExceeded
            case 429: .requestRateLimited
            case 502, 503, 504: .serviceUnavailable
            default: .internalError
            }
        let place = "an answer with the HTTP status \(status) that no gateway of Zonda sends"
        return CKError(
            code, "The address answered with \(place). Check the URL of the connection, and proxies in front of it.",
            details: details)
    }
}
