package import ServiceMessages

/// `assets.references`: lists the fields in records that refer to a blob.
package struct AssetReferencesRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.assetsReferences
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The number of the blob's row.
    package var blob: Int64
    /// The maximum number of references; nil means 200. The service clamps it to the range from 1 to 1,000.
    package var limit: Int?

    /// Creates a request.
    package init(container: String, blob: Int64, limit: Int?) {
        self.container = container
        self.blob = blob
        self.limit = limit
    }

    /// The references, starting with those in development.
    package struct Answer: Codable, Sendable {
        /// The first references.
        package var references: [AssetReference]
        /// Whether there are more references.
        package var moreComing: Bool

        /// Creates an answer.
        package init(references: [AssetReference], moreComing: Bool) {
            self.references = references
            self.moreComing = moreComing
        }
    }
}

/// A field in a record that refers to a blob.
package struct AssetReference: Codable, Sendable {
    /// `development` or `production`.
    package var environment: String
    /// `public` or `private`; nil if the kind of database is unknown to the service.
    package var database: String?
    /// The record name of the database's owner.
    package var owner: String
    /// The zone.
    package var zone: String
    /// The name of the record.
    package var recordName: String
    /// The field.
    package var fieldName: String
    /// The position in a list field, starting at 0.
    package var position: Int

    /// Creates a reference.
    package init(
        environment: String, database: String?, owner: String, zone: String, recordName: String, fieldName: String,
        position: Int
    ) {
        self.environment = environment
        self.database = database
        self.owner = owner
        self.zone = zone
        self.recordName = recordName
        self.fieldName = fieldName
        self.position = position
    }
}
