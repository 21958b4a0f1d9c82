package import ServiceRuntime

/// The configuration of a store in a bucket.
package struct S3Configuration: Sendable {
    /// The bucket.
    package var bucket: String
    /// The region of the bucket, for signatures.
    package var region: String
    /// The server, `https://host:port` without a path; nil to use Amazon's server in the region.
    package var endpoint: String?
    /// Whether the bucket is the first component of the path rather than of the host name.
    package var isPathStyle: Bool
    /// The prefix of all keys; empty, or ending in a slash.
    package var prefix: String
    /// The access key id.
    package var accessKey: String
    /// The secret access key.
    package var secretKey: Secret
    /// The size of a part, in bytes. Each upload keeps one part in memory.
    package var partBytes: Int

    /// The minimum size, in bytes, that S3 allows for every part except the last.
    package static let minPartBytes = 5 << 20
    /// The maximum number of parts that S3 allows per object.
    static let maxParts = 10_000

    /// Creates a configuration.
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

    /// Makes the parts large enough for objects of `maxBytes` bytes.
    package mutating func makeRoom(for maxBytes: Int64) {
        partBytes = max(partBytes, Int((maxBytes + Int64(Self.maxParts) - 1) / Int64(Self.maxParts)))
    }
}
