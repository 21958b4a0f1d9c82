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
    /// The sign-in behind a request, which a client registered by the request ends with: see ``Operation/clientsForget``.
    package static let session = "zonda-session"
    /// By whose rules: `native`, which is also meant when it is absent, or `web`.
    package static let interface = "zonda-interface"
    /// Milliseconds since 1970 after which a request is dropped and counted instead of executed.
    package static let deadline = "zonda-deadline"
    /// An id for logs and error answers.
    package static let requestID = "zonda-request-id"
    /// The W3C trace context, handed on to everything that the message brings about: see ``TraceParent``.
    package static let trace = "traceparent"
    /// On replies: the HTTP status.
    package static let status = "zonda-status"
    /// On dead letters that a service made: why.
    package static let deadReason = "zonda-dead-reason"
    /// On dead letters that a service made: the error body that could not be answered, as JSON.
    package static let deadError = "zonda-dead-error"
    /// Asks a service with faults switched on (tests only) to fail at a point: see `FaultSwitch`.
    package static let fault = "zonda-fault"
}
