/// The headers of requests, replies and dead letters.
package enum Header {
    /// The version of the contract, which is 1.
    package static let version = "zonda-version"
    /// The container's identifier.
    package static let container = "zonda-container"
    /// `development` or `production`.
    package static let environment = "zonda-environment"
    /// `public`, `private` or `shared`.
    package static let database = "zonda-database"
    /// The name of the zone to which `assets.put` uploads; required in the shared database.
    package static let zone = "zonda-zone"
    /// The owner of the zone to which `assets.put` uploads; required in the shared database.
    package static let zoneOwner = "zonda-zone-owner"
    /// The acting user; `_world` if absent.
    package static let user = "zonda-user"
    /// The verified email address of the acting user. With a producers file, only producers with `identity`, such as
    /// the gateway, may set it.
    package static let identity = "zonda-identity"
    /// The `clientId` of the client that sent the request.
    package static let client = "zonda-client"
    /// The session in which a request was sent. When the session ends, the clients that were registered with it are
    /// forgotten (see ``Operation/clientsForget``).
    package static let session = "zonda-session"
    /// The interface whose rules apply: `native`, which is the default, or `web`.
    package static let interface = "zonda-interface"
    /// The time, in milliseconds since 1970, after which a request is counted and dropped instead of being executed.
    package static let deadline = "zonda-deadline"
    /// An id for logs and error answers.
    package static let requestID = "zonda-request-id"
    /// The W3C trace context of a message. It is copied to every message that this message causes (see
    /// ``TraceParent``).
    package static let trace = "traceparent"
    /// In replies: the HTTP status.
    package static let status = "zonda-status"
    /// In dead letters that a service published: the reason code.
    package static let deadReason = "zonda-dead-reason"
    /// In dead letters that a service published: the body of the error that could not be sent as an answer, as JSON.
    package static let deadError = "zonda-dead-error"
    /// In tests: the point at which a service with fault injection should fail (see `FaultSwitch`).
    package static let fault = "zonda-fault"
}
