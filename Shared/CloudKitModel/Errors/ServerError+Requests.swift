/// The errors of requests as such.
extension ServerError {
    /// A required key is absent or null.
    package static func missingKey(_ key: String) -> ServerError {
        ServerError(.missingKey, "The key '\(key)' is required", field: key)
    }

    /// A key has a value of another kind.
    /// - Parameter expected: What it should have been, in words: `a string`.
    package static func wrongKind(_ key: String, expected: String) -> ServerError {
        ServerError(.wrongKind, "The key '\(key)' must be \(expected)", field: key)
    }

    /// More items, or a larger body, than one request may have.
    /// - Parameter what: The thing counted, in words: `operations`.
    package static func tooMany(_ what: String, limit: Int, actual: Int) -> ServerError {
        // CloudKit's text for too many items (semantics 4.6).
        ServerError(
            .limitExceeded,
            "Your request contains \(actual) \(what) which is more than the maximum number of \(what) in a single "
                + "request (\(limit))",
            field: what, limit: limit, actual: actual)
    }

    /// The same message id came before with another body.
    package static func messageIDReused() -> ServerError {
        ServerError(.messageIDReused, "A request with this id and another body was executed before")
    }

    /// No permission.
    package static func accessDenied(_ reason: String) -> ServerError {
        ServerError(.accessDenied, reason)
    }

    /// The container or environment does not exist.
    package static func badContainer(_ container: String) -> ServerError {
        ServerError(.containerNotFound, "Container '\(container)' does not exist")
    }

    /// Our fault; the detail is in the log under the request's id.
    package static func internalError(_ reasonCode: ReasonCode = .internalError) -> ServerError {
        ServerError(reasonCode, "The server met an internal error")
    }

    /// The container or the user sends more requests than it may.
    /// - Parameters:
    ///   - whose: Who does, in a word: `container` or `user`.
    ///   - limit: Requests a second.
    ///   - retryAfter: Seconds, at least 1.
    package static func throttled(_ whose: String, limit: Int, retryAfter: Int) -> ServerError {
        ServerError(
            .throttled, "The \(whose) sends more than \(limit) requests a second; retry in \(retryAfter) s",
            field: whose, limit: limit, retryAfter: retryAfter)
    }

    /// Nobody serves that operation.
    package static func operationUnknown(_ name: String) -> ServerError {
        ServerError(.operationUnknown, "could not find handler for endpoint '\(name)'", field: "routing-key")
    }
}
