package import ServiceMessages

/// `assets.jobs`: the contents pending deletion, next due first.
package struct AssetJobsRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsJobs
    package static let wrongKinds = WrongKinds.ignored

    /// The container; nil for all.
    package var container: String?
    /// The maximum number of contents, from 1 to 1,000; nil for 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String?, limit: Int?) {
        self.container = container
        self.limit = limit
    }

    /// The contents and their number.
    package struct Answer: Codable, Sendable {
        /// The first contents.
        package var jobs: [AssetStatus]
        /// The number of all contents pending deletion.
        package var total: Int64

        /// Creates an answer.
        package init(jobs: [AssetStatus], total: Int64) {
            self.jobs = jobs
            self.total = total
        }
    }
}

/// `assets.quarantine`: the contents whose files are missing or damaged, earliest first.
package struct AssetQuarantineRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsQuarantine
    package static let wrongKinds = WrongKinds.ignored

    /// The container; nil for all.
    package var container: String?
    /// The maximum number of contents, from 1 to 1,000; nil for 100.
    package var limit: Int?

    /// Creates a request.
    package init(container: String?, limit: Int?) {
        self.container = container
        self.limit = limit
    }

    /// The contents and their number.
    package struct Answer: Codable, Sendable {
        /// The first contents.
        package var blobs: [AssetStatus]
        /// The number of all contents in quarantine.
        package var total: Int64

        /// Creates an answer.
        package init(blobs: [AssetStatus], total: Int64) {
            self.blobs = blobs
            self.total = total
        }
    }
}
