/// The errors for types and fields. Most messages are CloudKit's own, verbatim.
extension ServerError {
    /// The value's type differs from the field's type.
    package static func wrongValueType(
        _ type: String, field: String, recordType: String, defined: String
    ) -> ServerError {
        ServerError(
            .fieldTypeMismatch,
            "invalid attempt to set value type \(type) for field '\(field)' for type '\(recordType)', "
                + "defined to be: \(defined)",
            field: field, recordType: recordType)
    }

    /// The value does not match its declared `type`.
    package static func invalidValue(expected: String, field: String?) -> ServerError {
        ServerError(.invalidValue, "Invalid value, expected type \(expected)", field: field)
    }

    /// A list was given where a single value is expected.
    package static func listForScalar(expected: String, field: String? = nil) -> ServerError {
        ServerError(
            .invalidValue, "Invalid value, expected type \(expected) but actual value was a list", field: field)
    }

    /// The first value of a new field is an empty list without an element type.
    package static func emptyListCannotInitialize(field: String) -> ServerError {
        ServerError(.emptyListNewField, "cannot use an empty list to initialize a new field", field: field)
    }

    /// A save would create a field in production.
    package static func fieldNotInProduction(field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotDeployed,
            "Cannot create or modify field '\(field)' in record '\(recordType)' in production schema",
            field: field, recordType: recordType)
    }

    /// The schema has more types or fields than the limit allows.
    /// - Parameter what: The counted items, in words, such as `record types`.
    package static func schemaTooLarge(_ what: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .schemaTooLarge, "The schema would have \(actual) \(what); the limit is \(limit)", field: "fields",
            limit: limit,
            actual: actual)
    }

    /// A save would create a record type in production.
    package static func typeNotInProduction(_ recordType: String) -> ServerError {
        ServerError(
            .typeNotDeployed, "Cannot create new type \(recordType) in production schema", field: "recordType",
            recordType: recordType)
    }

    /// The value is encrypted, but the field is not.
    package static func encryptedValueForPlainField(field: String) -> ServerError {
        ServerError(.fieldNotEncrypted, "Attempt to save encrypted data in non encrypted field type", field: field)
    }

    /// A value of this type cannot be encrypted: the service must be able to read references, and assets are always
    /// encrypted.
    package static func neverEncrypted(_ type: String, field: String) -> ServerError {
        ServerError(
            .typeNeverEncrypted, "A value of type \(type) cannot be encrypted",
            field: field)
    }

    /// The public database does not support encrypted values.
    package static func encryptedInPublicDatabase(field: String) -> ServerError {
        ServerError(
            .encryptedInPublicDatabase, "encrypted fields are not supported in the public database", field: field)
    }
}
