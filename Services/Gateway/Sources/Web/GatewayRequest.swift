internal import HTTPTypes
internal import ServiceMessages

/// A request over HTTP with its whole body.
struct GatewayRequest: Sendable {
    /// The method.
    var method: HTTPRequest.Method
    /// The request target as it was sent, path and query, which signatures cover.
    var target: String
    /// The path before the query, as it was sent.
    var path: String
    /// The query's parameters.
    var query: QueryParameters
    /// The header fields.
    var headers: HTTPFields
    /// The body; empty if there was none.
    var body: [UInt8]
    /// The client's address: the connection's peer, or the one that a trusted proxy names.
    var address: String
    /// The id of the request in logs and errors: `X-Apple-Request-UUID` of the answer.
    var requestID: String
    /// The trace that the request belongs to.
    var trace: TraceParent?
}
