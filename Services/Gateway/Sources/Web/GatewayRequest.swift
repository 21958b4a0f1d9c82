internal import HTTPTypes
internal import ServiceMessages

/// An HTTP request with its complete body.
struct GatewayRequest: Sendable {
    /// The method.
    var method: HTTPRequest.Method
    /// The request target (path and query) exactly as it was sent; signatures cover it.
    var target: String
    /// The path before the query, as it was sent.
    var path: String
    /// The query parameters.
    var query: QueryParameters
    /// The header fields.
    var headers: HTTPFields
    /// The body; empty if there was none.
    var body: [UInt8]
    /// The client's address: the peer of the connection, or the address that a trusted proxy reports.
    var address: String
    /// The id of the request in logs and errors. The response contains it as `X-Apple-Request-UUID`.
    var requestID: String
    /// The trace to which the request belongs.
    var trace: TraceParent?
}
