package import BlobStorage
package import Foundation
package import ServiceMessages

/// The checksum and the size of a file's bytes.
package typealias AssetContent = AssetUploadTicket.Content

/// The id of a blob, `asset.blob.id`. Rows of `record.asset_use` refer to it.
package struct BlobID: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A row of `asset.blob`. Times are in milliseconds since 1970.
package struct StoredBlob: Sendable, Equatable {
    package var id: BlobID
    /// The container to which the content belongs.
    package var container: String
    /// The checksum of the content.
    package var checksum: AssetChecksum
    /// The size of the content, in bytes.
    package var size: Int64
    /// The generation of the file that contains the content.
    package var generation: UUID
    /// The time of the first upload.
    package var createdAt: Int64
    /// The time at which the last receipt expires.
    package var receiptUntil: Int64
    /// When the blob was condemned and is due to be deleted; nil while the blob is live.
    package var condemnation: Condemnation?
    /// The time at which the bytes were last verified.
    package var verifiedAt: Int64 = 0
    /// The damage because of which the blob is in quarantine; nil if no damage is known.
    package var damage: Damage?

    /// The damage to a blob in quarantine. The blob is not served until its content is uploaded again or its file is
    /// found to be intact.
    package struct Damage: Sendable, Equatable {
        package enum Kind: String, Sendable {
            /// There is no file.
            case missing
            /// The file contains different bytes.
            case corrupt
            /// The file cannot be read, although the store works.
            case unreadable
        }

        package var kind: Kind
        /// The time at which the damage was found.
        package var at: Int64
    }

    /// When a blob was condemned, and when it is due to be deleted.
    package struct Condemnation: Sendable, Equatable {
        /// The time at which the blob was found to be unused.
        package var at: Int64
        /// The time at which the blob is due to be deleted.
        package var due: Int64
    }

    /// The name of the blob's file.
    package var key: BlobKey { BlobKey(container: container, checksum: checksum, generation: generation) }
}
