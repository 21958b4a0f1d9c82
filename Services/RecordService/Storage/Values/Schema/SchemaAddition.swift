package import CloudKitModel

/// A type, or some fields of a type, that a save needs and that the schema lacks.
package struct SchemaAddition: Sendable, Equatable {
    /// The record type, which is created if it does not exist.
    package var recordType: String
    /// The new fields of the type.
    package var fields: [String: FieldType]

    /// Creates an addition from its parts.
    package init(recordType: String, fields: [String: FieldType]) {
        self.recordType = recordType
        self.fields = fields
    }
}
