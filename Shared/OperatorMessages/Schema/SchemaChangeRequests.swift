package import CloudKitSchema
package import ServiceMessages

/// `schema.import`: replaces the development schema with the schema in the request.
package struct SchemaImportRequest: OperatorRequest {
    package typealias Answer = SchemaChangeAnswer
    package static let operation = ServiceMessages.Operation.schemaImport
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The new schema, in CloudKit's schema language.
    package var schema: String

    /// Creates a request.
    package init(container: String, schema: String) {
        self.container = container
        self.schema = schema
    }
}

/// `schema.deploy`: extends the production schema with the types, fields and roles that exist only in development, and
/// replaces the production indexes.
package struct SchemaDeployRequest: OperatorRequest {
    package typealias Answer = SchemaChangeAnswer
    package static let operation = ServiceMessages.Operation.schemaDeploy
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// Whether to report the changes without making them; nil means false.
    package var dryRun: Bool?

    /// Creates a request.
    package init(container: String, dryRun: Bool) {
        self.container = container
        self.dryRun = dryRun
    }
}

/// `schema.reset`: deletes all data in development and resets the development schema to the production schema.
package struct SchemaResetRequest: OperatorRequest {
    package typealias Answer = SchemaChangeAnswer
    package static let operation = ServiceMessages.Operation.schemaReset
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String

    /// Creates a request.
    package init(container: String) { self.container = container }
}

/// The changes to a schema.
package struct SchemaChangeAnswer: Codable, Sendable {
    /// The version of the schema after the changes.
    package var version: Int64
    /// The changes.
    package var changes: [SchemaChangeDescription]
    /// The warnings: a sentence for each declaration that has no effect.
    package var warnings: [String]

    /// Creates an answer.
    package init(version: Int64, changes: [SchemaChange], warnings: [String]) {
        self.version = version
        self.changes = changes.map(SchemaChangeDescription.init)
        self.warnings = warnings
    }
}

/// A difference between two schemas.
package struct SchemaChangeDescription: Codable, Sendable, Equatable {
    /// The kind, such as `fieldAdded`.
    package var change: String
    /// The record type that the change affects, if any.
    package var recordType: String?
    /// The field that the change affects, if any.
    package var field: String?
    /// The role that the change affects, if any.
    package var role: String?
    /// The change as a line of text.
    package var text: String

    /// Creates the description of a change.
    package init(_ change: SchemaChange) {
        self.change = change.kind
        (recordType, field, role) = (change.recordType, change.field, change.role)
        text = change.description
    }
}
