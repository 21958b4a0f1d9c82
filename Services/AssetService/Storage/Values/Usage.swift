package import CloudKitModel

/// The number and total size of the blobs that a database holds.
package struct DatabaseUsage: Sendable, Equatable {
    package var environment: EnvironmentName
    package var scope: DatabaseScope
    package var owner: String
    package var bytes: Int64
    package var blobs: Int64
}

/// The number and total size of a container's blobs, and the container's quotas.
package struct ContainerUsage: Sendable, Equatable {
    /// The bytes of the live blobs.
    package var bytes: Int64
    /// The number of live blobs.
    package var blobs: Int64
    /// The bytes of the condemned blobs, which occupy the disk but do not count towards any quota.
    package var condemnedBytes: Int64
    /// The container's own quotas as they are stored: nil for the default, a negative number for no limit.
    package var containerBytes: Int64?
    package var userBytes: Int64?
}
