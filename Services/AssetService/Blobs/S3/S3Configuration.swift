package import ServiceRuntime

/// Which bucket blobs are in, and how it is reached.
package struct S3Configuration: Sendable {
    /// The bucket.
    package var bucket: String
    /// Where it is, as signatures name it.
    package var region: String
    /// The server, `https://host:port` without a path; nil for Amazon's of the region.
    package var endpoint: String?
    /// Whether the bucket is the path's first part rather than the host name's.
    package var isPathStyle: Bool
    /// Before every key; empty or with a slash at its end.
    package var prefix: String
    /// The id of the credentials.
    package var accessKey: String
    /// Their secret.
    package var secretKey: Secret
    /// How much of an upload is held in memory, bytes: what is sent at once.
    package var partBytes: Int

    /// The fewest bytes of a part that is not the last, which S3 sets.
    package static let minPartBytes = 5 << 20
    /// The most parts of an object, which S3 sets.
    static let maxParts = 10_000

    /// A bucket.
    package init(
        bucket: String, region: String, endpoint: String?, isPathStyle: Bool, prefix: String, accessKey: String,
        secretKey: Secret, partBytes: Int
    ) {
        self.bucket = bucket
        self.region = region
        self.endpoint = endpoint
        self.isPathStyle = isPathStyle
        self.prefix = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : "\(prefix)/"
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.partBytes = partBytes
    }

    /// Parts large enough that an object of `maxBytes` has no more of them than S3 allows.
    package mutating func makeRoom(for maxBytes: Int64) {
        partBytes = max(partBytes, Int((maxBytes + Int64(Self.maxParts) - 1) / Int64(Self.maxParts)))
    }
}
