package import CloudKitModel
package import ServiceMessages

/// `schema.status`: returns the size of a schema and the state of its indexes.
package struct SchemaStatusRequest: OperatorRequest {
    package static let operation = ServiceMessages.Operation.schemaStatus
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

    /// The size of the schema, and its indexes.
    package struct Answer: Codable, Sendable {
        /// The version. Every change increases it.
        package var version: Int64
        /// The number of record types.
        package var recordTypes: Int
        /// The total number of fields in all record types.
        package var fields: Int
        /// The indexes. An index for several kinds of queries is listed once.
        package var indexes: [Index]
        /// The warnings, one sentence per element.
        package var warnings: [String]

        /// Creates an answer.
        package init(version: Int64, recordTypes: Int, fields: Int, indexes: [Index], warnings: [String]) {
            self.version = version
            self.recordTypes = recordTypes
            self.fields = fields
            self.indexes = indexes
            self.warnings = warnings
        }
    }

    /// An index.
    package struct Index: Codable, Sendable {
        /// The record type.
        package var recordType: String
        /// The field; `___allTokens` for the index on the words in all fields.
        package var field: String
        /// The schema keywords for the kinds of queries that use the index, separated by spaces.
        package var kind: String
        /// `ordered`, `elements`, `place`, `words` or `substring`.
        package var method: String
        /// The name in the database.
        package var name: String
        /// `waiting`, `building`, `ready` or `failed`.
        package var state: String
        /// The progress of the build, from 0 to 1.
        package var progress: Double
        /// The size, in bytes.
        package var bytes: Int64
        /// The number of scans.
        package var scans: Int64
        /// The error from the last attempt to build the index, if any.
        package var lastError: String?

        /// Creates an index.
        package init(
            recordType: String, field: String, kind: String, method: String, name: String, state: String,
            progress: Double, bytes: Int64, scans: Int64, lastError: String?
        ) {
            self.recordType = recordType
            self.field = field
            self.kind = kind
            self.method = method
            self.name = name
            self.state = state
            self.progress = progress
            self.bytes = bytes
            self.scans = scans
            self.lastError = lastError
        }
    }
}
