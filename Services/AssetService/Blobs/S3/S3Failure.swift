/// A failed request to S3. It contains no credentials, and nothing from the response except the error code and the
/// request id.
struct S3Failure: Error, Sendable, CustomStringConvertible {
    /// The method and key of the request.
    let request: String
    /// The status of the response; nil if there was none.
    var status: Int?
    /// S3's error code, such as `NoSuchBucket`; nil for `HEAD`.
    var code: String?
    /// S3's request id, for support requests.
    var requestID: String?
    /// Details about the connection, or advice.
    var detail: String?
    /// The number of attempts.
    var attempts = 1
    /// Whether the failure is transient.
    var mayPass = false

    /// The statuses of transient failures.
    static let passing: Set<Int> = [429, 500, 502, 503, 504]
    /// The error codes of transient failures that occur after the response's status has already been sent.
    static let passingCodes: Set<String> = ["InternalError", "ServiceUnavailable", "SlowDown"]

    var description: String {
        var text = "S3: \(request): "
        text += status.map { "returned \($0)" } ?? "no response"
        if let code { text += " \(code)" }
        if let requestID { text += ", request \(requestID)" }
        if attempts > 1 { text += ", after \(attempts) attempts" }
        if let detail = detail ?? hint { text += ": \(detail)" }
        return text
    }

    /// Advice for the operator.
    private var hint: String? {
        switch (code, status) {
        case ("InvalidAccessKeyId"?, _), ("SignatureDoesNotMatch"?, _):
            "the server does not accept these credentials (asset.s3.accessKey, asset.s3.secretKey)"
        case ("AccessDenied"?, _), (nil, 403?): "the credentials do not allow this request, or are wrong"
        case ("NoSuchBucket"?, _): "the bucket does not exist (asset.s3.bucket)"
        case ("AuthorizationHeaderMalformed"?, _), ("PermanentRedirect"?, _), (_, 301?), (_, 307?):
            "the bucket belongs to another region or endpoint (asset.s3.region, asset.s3.endpoint, asset.s3.pathStyle)"
        case ("RequestTimeTooSkewed"?, _): "this machine's clock is wrong"
        default: nil
        }
    }
}

extension BlobStoreError {
    /// Creates the error for a failed request.
    init(_ failure: S3Failure) {
        // MinIO and Ceph respond with 507 when they are full.
        self.init(failure.description, isFull: failure.status == 507)
    }
}
