package import ServiceMessages

/// `assets.stat`: returns the state of a blob.
package struct AssetStatRequest: OperatorRequest {
    package typealias Answer = AssetStatus
    package static let operation = ServiceMessages.Operation.assetsStat
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The checksum: 64 hexadecimal digits, or a `fileChecksum`.
    package var checksum: String

    /// Creates a request.
    package init(container: String, checksum: String) {
        self.container = container
        self.checksum = checksum
    }
}

/// The state of a blob. Which of the optional members an answer contains depends on the operation. Times are in
/// milliseconds since 1970.
package struct AssetStatus: Codable, Sendable, Equatable {
    /// The container.
    package var container: String
    /// The SHA-256 of the bytes, in hexadecimal digits.
    package var checksum: String
    /// The checksum in the form used in records.
    package var fileChecksum: String
    /// The number of the blob's row.
    package var blob: Int64
    /// The number of bytes.
    package var size: Int64
    /// `live`, `condemned` or `quarantined`.
    package var state: String?
    /// The time at which the bytes were last verified.
    package var verifiedAt: Int64?
    /// `missing`, `corrupt` or `unreadable`.
    package var damage: String?
    /// The time at which the damage was found.
    package var damagedAt: Int64?
    /// The key of the file in the store.
    package var key: String?
    /// The time of the first upload.
    package var createdAt: Int64?
    /// The time at which the last receipt expires.
    package var receiptUntil: Int64?
    /// The time at which the blob was found to be unused.
    package var condemnedAt: Int64?
    /// The earliest time at which the blob can be deleted.
    package var due: Int64?
    /// Whether the store contains a file of this size.
    package var isStored: Bool?
    /// The databases that use the blob, at most 100.
    package var holders: [AssetHolder]?

    /// Creates a state with the members that every answer contains.
    package init(container: String, checksum: String, fileChecksum: String, blob: Int64, size: Int64) {
        self.container = container
        self.checksum = checksum
        self.fileChecksum = fileChecksum
        self.blob = blob
        self.size = size
    }
}

/// A database that uses blobs: its records or valid receipts refer to them.
package struct AssetHolder: Codable, Sendable, Equatable {
    /// `development` or `production`.
    package var environment: String
    /// `public` or `private`.
    package var database: String
    /// The record name of the owner; `_public` for a public database.
    package var owner: String
    /// The total size of its blobs, in bytes; only in answers to `assets.usage`.
    package var bytes: Int64?
    /// The number of its blobs; only in answers to `assets.usage`.
    package var blobs: Int64?

    /// Creates a holder. Only answers to `assets.usage` contain `bytes` and `blobs`.
    package init(environment: String, database: String, owner: String, bytes: Int64? = nil, blobs: Int64? = nil) {
        self.environment = environment
        self.database = database
        self.owner = owner
        self.bytes = bytes
        self.blobs = blobs
    }
}
