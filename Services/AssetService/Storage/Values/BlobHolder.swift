package import CloudKitModel

/// A database that holds a blob, either under a valid receipt or because one of its records uses the blob.
package struct BlobHolder: Sendable, Hashable {
    /// The time after a receipt's expiry during which a save with that receipt can still be in progress.
    package static let receiptMargin = Duration.seconds(300)

    package var blob: BlobID
    package var environment: EnvironmentName
    /// The scope of the database: public or private.
    package var scope: DatabaseScope
    package var owner: String

    package init(blob: BlobID, environment: EnvironmentName, scope: DatabaseScope, owner: String) {
        self.blob = blob
        self.environment = environment
        self.scope = scope
        self.owner = owner
    }
}
