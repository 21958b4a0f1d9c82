internal import HTTPServing

extension CrossOrigin {
    /// The policy of the web services (web-services 1.5).
    ///
    /// Every origin is echoed: which origins may use an API token is decided with the token, and a page can learn of a
    /// refusal only from an answer that it may read. No answer of these paths depends on a cookie.
    static let cloudKit = CrossOrigin(
        .echoed,
        exposedHeaders:
            "X-Apple-Request-UUID,X-Apple-CloudKit-Web-Auth-Token,X-Apple-CloudKit-Session,X-Responding-Instance,Via,"
            + "Retry-After,Allow",
        requestHeaders:
            "Content-Type,Content-Encoding,Idempotency-Key,Last-Event-ID,traceparent,X-Apple-CloudKit-Request-KeyID,"
            + "X-Apple-CloudKit-Request-ISO8601Date,X-Apple-CloudKit-Request-SignatureV1")
}
