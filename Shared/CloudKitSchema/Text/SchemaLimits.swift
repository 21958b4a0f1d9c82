/// What a schema may have at most: so that no text takes long to read, and no schema slows every save.
enum SchemaLimits {
    /// Of the text, in bytes of UTF-8.
    static let maxTextBytes = 1024 * 1024
    /// Record types.
    static let maxRecordTypes = 1_000
    /// Fields of one record type, the system's not counted.
    static let maxFields = 1_000
    /// Roles that are made.
    static let maxRoles = 100
    /// A role's name, in bytes of UTF-8.
    static let maxRoleBytes = 255
}
