package import CloudKitModel
package import CloudKitSchema
package import ServiceMessages

/// `schema.export`: the schema of an environment.
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
        /// The text in CloudKit's schema language.
        package var schema: String
        /// The version, which every change increases.
        package var version: Int64

        /// Creates an answer.
        package init(schema: String, version: Int64) {
            self.schema = schema
            self.version = version
        }
    }
}

/// `schema.validate`: reports the changes that an import of a text would make, without making them.
package struct SchemaValidateRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.schemaValidate
    package static let wrongKinds = WrongKinds.ignored

    /// The container.
    package var container: String
    /// The text in CloudKit's schema language.
    package var schema: String

    /// Creates a request.
    package init(container: String, schema: String) {
        self.container = container
        self.schema = schema
    }

    /// The result of the validation.
    package struct Answer: Codable, Sendable {
        /// Whether the text can be imported.
        package var isValid: Bool
        /// The error of an invalid text.
        package var errorMessage: String?
        /// The line of the error, from 1; nil if the text has no syntax error.
        package var line: Int?
        /// The column of the error, from 1; nil if the text has no syntax error.
        package var column: Int?
        /// The changes; empty for an invalid text.
        package var changes: [SchemaChangeDescription]
        /// A sentence for each declaration that has no effect; empty for an invalid text.
        package var warnings: [String]

        /// Creates the answer for a valid text.
        package init(changes: [SchemaChange], warnings: [String]) {
            isValid = true
            self.changes = changes.map(SchemaChangeDescription.init)
            self.warnings = warnings
        }

        /// Creates the answer for an invalid text.
        package init(_ error: ServerError) {
            isValid = false
            (errorMessage, line, column) = (error.reason, error.line, error.column)
            (changes, warnings) = ([], [])
        }
    }
}
