internal import HTTPTypes

/// What browsers want to know before they let a page of another origin ask, and read the answer (web-services 1.5).
///
/// The origin is echoed whichever it is: which origins may use an API token is decided with the token, and a page can only
/// be told so by an answer that it may read. Nothing that these paths answer depends on a cookie.
enum CrossOrigin {
    private static let exposed =
        "X-Apple-Request-UUID,X-Apple-CloudKit-Web-Auth-Token,X-Apple-CloudKit-Session,X-Responding-Instance,Via,"
        + "Retry-After,Allow"
    private static let requestHeaders =
        "Content-Type,Content-Encoding,Idempotency-Key,Last-Event-ID,traceparent,X-Apple-CloudKit-Request-KeyID,"
        + "X-Apple-CloudKit-Request-ISO8601Date,X-Apple-CloudKit-Request-SignatureV1"

    /// Adds the headers to an answer.
    static func allow(_ origin: String?, in headers: inout HTTPFields) {
        headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin else { return }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlAllowCredentials] = "true"
        headers[.accessControlExposeHeaders] = exposed
    }

    /// The answer to `OPTIONS`, a browser's or anybody's.
    ///
    /// - Parameter allow: the methods, `GET,POST,OPTIONS`.
    static func preflight(_ request: HTTPFields, allow: String) -> HTTPFields {
        [
            .allow: allow, .accessControlAllowMethods: allow,
            .accessControlAllowHeaders: request[.accessControlRequestHeaders] ?? requestHeaders,
            .accessControlMaxAge: "86400",
        ]
    }
}
