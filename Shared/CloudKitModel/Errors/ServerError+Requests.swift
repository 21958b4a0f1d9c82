/// The errors that concern the request itself.
extension ServerError {
    /// A required key is absent or null.
    package static func missingKey(_ key: String) -> ServerError {
        ServerError(.missingKey, "The key '\(key)' is required", field: key)
    }

    /// A key has a value of the wrong type.
    /// - Parameter expected: The expected type, in words: `a string`.
    package static func wrongKind(_ key: String, expected: String) -> ServerError {
        ServerError(.wrongKind, "The key '\(key)' must be \(expected)", field: key)
    }

    /// The request has more items, or a larger body, than the limit allows.
    /// - Parameter what: The counted items, in words, such as `operations`.
    package static func tooMany(_ what: String, limit: Int, actual: Int) -> ServerError {
        // CloudKit's message for too many items (semantics 4.6).
        ServerError(
            .limitExceeded,
            "Your request contains \(actual) \(what) which is more than the maximum number of \(what) in a single "
                + "request (\(limit))",
            field: what, limit: limit, actual: actual)
    }

    /// A request with the same message id but a different body has already been executed.
    package static func messageIDReused() -> ServerError {
        ServerError(.messageIDReused, "A different request with this id has already been executed")
    }

    /// The user does not have permission for the operation.
    package static func accessDenied(_ reason: String) -> ServerError {
        ServerError(.accessDenied, reason)
    }

    /// The container or environment does not exist.
    package static func badContainer(_ container: String) -> ServerError {
        ServerError(.containerNotFound, "Container '\(container)' does not exist")
    }

    /// An internal error. The details are in the log under the request's id.
    package static func internalError(_ reasonCode: ReasonCode = .internalError) -> ServerError {
        ServerError(reasonCode, "Internal server error")
    }

    /// The container or the user has exceeded its request rate.
    /// - Parameters:
    ///   - whose: The party that exceeded the rate, in one word: `container` or `user`.
    ///   - limit: The permitted number of requests per second.
    ///   - retryAfter: The number of seconds until a retry can succeed, at least 1.
    package static func throttled(_ whose: String, limit: Int, retryAfter: Int) -> ServerError {
        ServerError(
            .throttled, "The \(whose) has sent more than \(limit) requests per second; retry in \(retryAfter) s",
            field: whose, limit: limit, retryAfter: retryAfter)
    }

    /// No service handles this operation.
    package static func operationUnknown(_ name: String) -> ServerError {
        ServerError(.operationUnknown, "could not find handler for endpoint '\(name)'", field: "routing-key")
    }
}
