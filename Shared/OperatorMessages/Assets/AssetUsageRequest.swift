package import ServiceMessages

/// `assets.usage`: the storage that a container and its databases use.
package struct AssetUsageRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsUsage
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The owner of the databases; nil for all owners.
    package var user: String?
    /// The maximum number of databases, from 1 to 1,000; nil for 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String, user: String?, limit: Int?) {
        self.container = container
        self.user = user
        self.limit = limit
    }

    /// The usage. A quota is nil if there is none.
    package struct Answer: Codable, Sendable {
        /// The container.
        package var container: String
        /// The number of bytes of the container's blobs, each counted once.
        package var bytes: Int64
        /// The number of the container's blobs.
        package var blobs: Int64
        /// The number of bytes of the blobs that are pending deletion.
        package var condemnedBytes: Int64
        /// The quota of the container, in bytes.
        package var containerQuota: Int64?
        /// The quota of each user's private database, in bytes.
        package var userQuota: Int64?
        /// The largest databases, with their usage.
        package var databases: [AssetHolder]
        /// The number of all databases.
        package var total: Int64

        /// Creates an answer.
        package init(
            container: String, bytes: Int64, blobs: Int64, condemnedBytes: Int64, containerQuota: Int64?,
            userQuota: Int64?, databases: [AssetHolder], total: Int64
        ) {
            self.container = container
            self.bytes = bytes
            self.blobs = blobs
            self.condemnedBytes = condemnedBytes
            self.containerQuota = containerQuota
            self.userQuota = userQuota
            self.databases = databases
            self.total = total
        }
    }
}
