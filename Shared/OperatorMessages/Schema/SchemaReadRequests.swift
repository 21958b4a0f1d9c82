package import CloudKitModel
package import CloudKitSchema
package import ServiceMessages

/// `schema.export`: returns the schema of an environment.
package struct SchemaExportRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.schemaExport
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName

    /// Creates a request.
    package init(container: String, environment: EnvironmentName) {
        self.container = container
        self.environment = environment
    }

    /// The schema.
    package struct Answer: Codable, Sendable {
        /// The schema, in CloudKit's schema language.
        package var schema: String
        /// The version. Every change increases it.
        package var version: Int64

        /// Creates an answer.
        package init(schema: String, version: Int64) {
            self.schema = schema
            self.version = version
        }
    }
}

/// `schema.validate`: reports the changes that importing a schema would make, but does not make them.
package struct SchemaValidateRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.schemaValidate
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The schema, in CloudKit's schema language.
    package var schema: String

    /// Creates a request.
    package init(container: String, schema: String) {
        self.container = container
        self.schema = schema
    }

    /// The result of the validation.
    package struct Answer: Codable, Sendable {
        /// Whether the schema can be imported.
        package var isValid: Bool
        /// The error message for an invalid schema; otherwise nil.
        package var errorMessage: String?
        /// The line number of a syntax error, starting at 1; otherwise nil.
        package var line: Int?
        /// The column number of a syntax error, starting at 1; otherwise nil.
        package var column: Int?
        /// The changes; empty for an invalid schema.
        package var changes: [SchemaChangeDescription]
        /// The warnings: a sentence for each declaration that has no effect; empty for an invalid schema.
        package var warnings: [String]

        /// Creates the answer for a valid schema.
        package init(changes: [SchemaChange], warnings: [String]) {
            isValid = true
            self.changes = changes.map(SchemaChangeDescription.init)
            self.warnings = warnings
        }

        /// Creates the answer for an invalid schema.
        package init(_ error: ServerError) {
            isValid = false
            (errorMessage, line, column) = (error.reason, error.line, error.column)
            (changes, warnings) = ([], [])
        }
    }
}
