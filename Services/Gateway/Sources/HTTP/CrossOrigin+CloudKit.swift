internal import HTTPServing

extension CrossOrigin {
    /// The policy of the web services (web-services 1.5).
    ///
    /// Every origin is echoed. The API token determines which origins are allowed to use it, and a page must be able to
    /// read a refusal. No response at these paths depends on a cookie.
    static let cloudKit = CrossOrigin(
        .echoed,
        exposedHeaders:
            "X-Apple-Request-UUID,X-Apple-CloudKit-Web-Auth-Token,X-Apple-CloudKit-Session,X-Responding-Instance,Via,"
            + "Retry-After,Allow",
        requestHeaders:
            "Content-Type,Content-Encoding,Idempotency-Key,Last-Event-ID,traceparent,X-Apple-CloudKit-Request-KeyID,"
            + "X-Apple-CloudKit-Request-ISO8601Date,X-Apple-CloudKit-Request-SignatureV1")
}
