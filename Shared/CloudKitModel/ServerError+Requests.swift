/// The errors of requests as such.
extension ServerError {
    /// A malformed or impossible request.
    package static func badRequest(_ reasonCode: String, _ reason: String, field: String? = nil) -> ServerError {
        ServerError(.badRequest, reasonCode: reasonCode, reason: reason, field: field)
    }

    /// A required key is absent or null.
    package static func missingKey(_ key: String) -> ServerError {
        .badRequest("missing_key", "The key '\(key)' is required", field: key)
    }

    /// A key has a value of another kind.
    /// - Parameter expected: What it should have been, in words: `a string`.
    package static func wrongKind(_ key: String, expected: String) -> ServerError {
        .badRequest("wrong_kind", "The key '\(key)' must be \(expected)", field: key)
    }

    /// More items, or a larger body, than one request may have.
    /// - Parameter what: The thing counted, in words: `operations`.
    package static func tooMany(_ what: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .badRequest, .limitExceeded, reasonCode: "limit_exceeded",
            reason: "\(actual) \(what) where one request has at most \(limit)", field: what, limit: limit,
            actual: actual)
    }

    /// The same message id came before with another body.
    package static func messageIDReused() -> ServerError {
        .badRequest("message_id_reused", "A request with this id and another body was executed before")
    }

    /// No permission.
    package static func accessDenied(_ reason: String) -> ServerError {
        ServerError(.accessDenied, reasonCode: "access_denied", reason: reason)
    }

    /// The container or environment does not exist.
    package static func badContainer(_ container: String) -> ServerError {
        ServerError(
            .notFound, .badContainer, reasonCode: "container_not_found",
            reason: "Container '\(container)' does not exist")
    }

    /// Our fault; the detail is in the log under the request's id.
    package static func internalError(_ reasonCode: String = "internal_error") -> ServerError {
        ServerError(.internalError, reasonCode: reasonCode, reason: "The server met an internal error")
    }

    /// A temporary fault of ours.
    /// - Parameter retryAfter: Seconds.
    package static func tryAgainLater(_ reasonCode: String, _ reason: String, retryAfter: Int) -> ServerError {
        ServerError(.tryAgainLater, reasonCode: reasonCode, reason: reason, retryAfter: retryAfter)
    }

    /// Nobody serves that operation.
    package static func operationUnknown(_ name: String) -> ServerError {
        ServerError(
            .notFound, .invalidArguments, reasonCode: "operation_unknown",
            reason: "could not find handler for endpoint '\(name)'", field: "routing-key")
    }
}
