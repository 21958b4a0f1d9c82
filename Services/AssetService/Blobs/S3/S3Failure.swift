/// Why S3 did not do what it was asked. It carries no credential, and no text of S3's but a code and the request's id.
struct S3Failure: Error, Sendable, CustomStringConvertible {
    /// What was asked: method and key.
    let request: String
    /// The answer's status; nil when there was none.
    var status: Int?
    /// S3's own word, such as `NoSuchBucket`; none for `HEAD`.
    var code: String?
    /// By which S3 finds the request again.
    var requestID: String?
    /// What else is known: of the connection, or what to do.
    var detail: String?
    /// How often it was tried.
    var attempts = 1
    /// Whether the same request may succeed in a moment.
    var mayPass = false

    /// Statuses that pass.
    static let passing: Set<Int> = [429, 500, 502, 503, 504]
    /// Codes that pass, in answers whose status was sent before their work was done.
    static let passingCodes: Set<String> = ["InternalError", "ServiceUnavailable", "SlowDown"]

    var description: String {
        var text = "S3: \(request): "
        text += status.map { "answered \($0)" } ?? "no answer"
        if let code { text += " \(code)" }
        if let requestID { text += ", request \(requestID)" }
        if attempts > 1 { text += ", after \(attempts) attempts" }
        if let detail = detail ?? hint { text += ": \(detail)" }
        return text
    }

    /// What an operator can do about it.
    private var hint: String? {
        switch (code, status) {
        case ("InvalidAccessKeyId"?, _), ("SignatureDoesNotMatch"?, _):
            "the credentials are not those of this server (asset.s3.accessKey, asset.s3.secretKey)"
        case ("AccessDenied"?, _), (nil, 403?): "the credentials do not allow it, or are wrong"
        case ("NoSuchBucket"?, _): "there is no such bucket (asset.s3.bucket)"
        case ("AuthorizationHeaderMalformed"?, _), ("PermanentRedirect"?, _), (_, 301?), (_, 307?):
            "the bucket is elsewhere (asset.s3.region, asset.s3.endpoint, asset.s3.pathStyle)"
        case ("RequestTimeTooSkewed"?, _): "this machine's clock is wrong"
        default: nil
        }
    }
}

extension BlobStoreError {
    /// A failure of S3's.
    init(_ failure: S3Failure) {
        // 507 is what MinIO and Ceph answer.
        self.init(failure.description, isFull: failure.status == 507)
    }
}
