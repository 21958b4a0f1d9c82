/// The addresses of the objects in a bucket: `https://host/bucket/key` or `https://bucket.host/key`.
struct S3Address: Sendable {
    private let scheme: Substring
    /// The host and port, as in the `Host` header.
    let host: String
    private let root: String

    init(_ configuration: S3Configuration) {
        let endpoint = configuration.endpoint ?? "https://s3.\(configuration.region).amazonaws.com"
        let end = endpoint.firstRange(of: "://")
        scheme = endpoint[..<(end?.lowerBound ?? endpoint.startIndex)]
        let authority = endpoint[(end?.upperBound ?? endpoint.startIndex)...]
        host = configuration.isPathStyle ? String(authority) : "\(configuration.bucket).\(authority)"
        root = configuration.isPathStyle ? "/\(SigV4.encoded(configuration.bucket))" : ""
    }

    /// Returns the encoded path of an object, or of the bucket if `key` is nil.
    func path(of key: String?) -> String {
        guard let key else { return root.isEmpty ? "/" : root }
        return "\(root)/\(SigV4.encoded(key, keepingSlashes: true))"
    }

    /// Returns the URL of a path with a query.
    func url(_ path: String, query: [(name: String, value: String)]) -> String {
        let query = SigV4.queryText(query)
        return "\(scheme)://\(host)\(path)\(query.isEmpty ? "" : "?\(query)")"
    }
}
