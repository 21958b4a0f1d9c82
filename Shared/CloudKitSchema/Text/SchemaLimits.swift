/// The limits on a schema. They bound the time that parsing takes and the cost that the schema adds to each save.
package enum SchemaLimits {
    /// The size of the text in UTF-8 bytes.
    static let maxTextBytes = 1024 * 1024
    /// The number of record types in a schema.
    package static let maxRecordTypes = 1_000
    /// The number of fields in one record type, not counting system fields.
    package static let maxFields = 1_000
    /// The number of custom roles in a schema.
    static let maxRoles = 100
    /// The length of a role's name in UTF-8 bytes.
    static let maxRoleBytes = 255
}
