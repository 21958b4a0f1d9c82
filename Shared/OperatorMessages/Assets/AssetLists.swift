package import ServiceMessages

/// `assets.jobs`: lists the blobs that are pending deletion, ordered by due time.
package struct AssetJobsRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsJobs
    package static let wrongKinds = WrongKinds.ignored

    /// The container; nil for all containers.
    package var container: String?
    /// The maximum number of blobs, from 1 to 1,000; nil means 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String?, limit: Int?) {
        self.container = container
        self.limit = limit
    }

    /// The first blobs, and the total number.
    package struct Answer: Codable, Sendable {
        /// The first blobs.
        package var jobs: [AssetStatus]
        /// The total number of blobs that are pending deletion.
        package var total: Int64

        /// Creates an answer.
        package init(jobs: [AssetStatus], total: Int64) {
            self.jobs = jobs
            self.total = total
        }
    }
}

/// `assets.quarantine`: lists the blobs whose files are missing or damaged, earliest damage first.
package struct AssetQuarantineRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsQuarantine
    package static let wrongKinds = WrongKinds.ignored

    /// The container; nil for all containers.
    package var container: String?
    /// The maximum number of blobs, from 1 to 1,000; nil means 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String?, limit: Int?) {
        self.container = container
        self.limit = limit
    }

    /// The first blobs, and the total number.
    package struct Answer: Codable, Sendable {
        /// The first blobs.
        package var blobs: [AssetStatus]
        /// The total number of blobs in quarantine.
        package var total: Int64

        /// Creates an answer.
        package init(blobs: [AssetStatus], total: Int64) {
            self.blobs = blobs
            self.total = total
        }
    }
}
