package import ServiceMessages

/// `assets.usage`: returns the storage used by a container and its databases.
package struct AssetUsageRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsUsage
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The owner of the databases; nil for all owners.
    package var user: String?
    /// The maximum number of databases, from 1 to 1,000; nil means 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String, user: String?, limit: Int?) {
        self.container = container
        self.user = user
        self.limit = limit
    }

    /// The usage. A nil quota means that there is no quota.
    package struct Answer: Codable, Sendable {
        /// The container.
        package var container: String
        /// The total size of the container's blobs, in bytes. Each blob is counted once.
        package var bytes: Int64
        /// The number of the container's blobs.
        package var blobs: Int64
        /// The total size, in bytes, of the blobs that are pending deletion.
        package var condemnedBytes: Int64
        /// The container's quota, in bytes.
        package var containerQuota: Int64?
        /// The quota for each user's private database, in bytes.
        package var userQuota: Int64?
        /// The databases that use the most storage, with their usage.
        package var databases: [AssetHolder]
        /// The total number of databases.
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
