package import Foundation
package import ServiceMessages

/// `asset.blob.id`: what records' uses refer to.
package struct BlobID: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A row of `asset.blob`; times in milliseconds since 1970.
package struct StoredBlob: Sendable, Equatable {
    /// Its id.
    package var id: BlobID
    /// The container whose content it is.
    package var container: String
    /// The content's checksum.
    package var checksum: AssetChecksum
    /// The content's length in bytes.
    package var size: Int64
    /// Which of the content's files is its.
    package var generation: UUID
    /// When it was uploaded first.
    package var createdAt: Int64
    /// When the last receipt expires.
    package var receiptUntil: Int64
    /// Since when it is condemned and when it will be deleted; nil while it lives.
    package var condemnation: Condemnation?
    /// When its bytes were last found right.
    package var verifiedAt: Int64 = 0
    /// Why its file is not served; nil when nothing is known against it.
    package var damage: Damage?

    /// A blob whose file is not what it should be: quarantined until the next upload of the content, or until the file
    /// is found right again.
    package struct Damage: Sendable, Equatable {
        /// What is wrong with the file.
        package enum Kind: String, Sendable {
            /// There is none.
            case missing
            /// It has other bytes.
            case corrupt
            /// It cannot be read, although the store works.
            case unreadable
        }

        /// What is wrong.
        package var kind: Kind
        /// When it was found.
        package var at: Int64
    }

    /// The time of a condemned blob.
    package struct Condemnation: Sendable, Equatable {
        /// When it was found that nothing refers to it.
        package var at: Int64
        /// When it is deleted.
        package var due: Int64
    }

    /// Where its bytes are.
    package var key: BlobKey { BlobKey(container: container, checksum: checksum, generation: generation) }
}
