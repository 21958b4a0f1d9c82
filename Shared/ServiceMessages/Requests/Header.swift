/// The headers of requests, replies and dead letters.
package enum Header {
    /// The version of the contract; 1.
    package static let version = "zonda-version"
    /// The container's identifier.
    package static let container = "zonda-container"
    /// `development` or `production`.
    package static let environment = "zonda-environment"
    /// `public`, `private` or `shared`.
    package static let database = "zonda-database"
    /// The acting user; absent: `_world`.
    package static let user = "zonda-user"
    /// The originating `clientId`.
    package static let client = "zonda-client"
    /// The sign-in under which a request was sent. A client that the request registers ends together with that sign-in:
    /// see ``Operation/clientsForget``.
    package static let session = "zonda-session"
    /// The interface whose rules apply: `native` (the default when absent) or `web`.
    package static let interface = "zonda-interface"
    /// The time, in milliseconds since 1970, after which a request is dropped and counted instead of executed.
    package static let deadline = "zonda-deadline"
    /// An id for logs and error answers.
    package static let requestID = "zonda-request-id"
    /// The W3C trace context, which is passed on to every message that this message causes: see ``TraceParent``.
    package static let trace = "traceparent"
    /// On replies: the HTTP status.
    package static let status = "zonda-status"
    /// On dead letters published by a service: the reason.
    package static let deadReason = "zonda-dead-reason"
    /// On dead letters published by a service: the error body that could not be sent as an answer, as JSON.
    package static let deadError = "zonda-dead-error"
    /// Makes a service with fault injection enabled (tests only) fail at a given point: see `FaultSwitch`.
    package static let fault = "zonda-fault"
}
