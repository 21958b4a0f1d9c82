/// The errors of types and fields. Texts are CloudKit's own, word for word.
extension ServerError {
    /// A value of another type than the field has.
    package static func wrongValueType(
        _ type: String, field: String, recordType: String, defined: String
    ) -> ServerError {
        ServerError(
            .fieldTypeMismatch,
            "invalid attempt to set value type \(type) for field '\(field)' for type '\(recordType)', "
                + "defined to be: \(defined)",
            field: field, recordType: recordType)
    }

    /// A value that its own `type` does not fit.
    package static func invalidValue(expected: String, field: String?) -> ServerError {
        ServerError(.invalidValue, "Invalid value, expected type \(expected)", field: field)
    }

    /// A list where a single value belongs.
    package static func listForScalar(expected: String, field: String? = nil) -> ServerError {
        ServerError(
            .invalidValue, "Invalid value, expected type \(expected) but actual value was a list", field: field)
    }

    /// A new field whose first value is an empty list of nothing in particular.
    package static func emptyListCannotInitialize(field: String) -> ServerError {
        ServerError(.emptyListNewField, "cannot use an empty list to initialize a new field", field: field)
    }

    /// A new field in production.
    package static func fieldNotInProduction(field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotDeployed,
            "Cannot create or modify field '\(field)' in record '\(recordType)' in production schema",
            field: field, recordType: recordType)
    }

    /// A new type in production.
    package static func typeNotInProduction(_ recordType: String) -> ServerError {
        ServerError(
            .typeNotDeployed, "Cannot create new type \(recordType) in production schema", field: "recordType",
            recordType: recordType)
    }

    /// An encrypted value for a field that is not.
    package static func encryptedValueForPlainField(field: String) -> ServerError {
        ServerError(.fieldNotEncrypted, "Attempt to save encrypted data in non encrypted field type", field: field)
    }

    /// An encrypted value of a kind that is never encrypted: the service has to see references, and assets are
    /// encrypted anyway.
    package static func neverEncrypted(_ type: String, field: String) -> ServerError {
        ServerError(
            .typeNeverEncrypted, "A value of type \(type) cannot be encrypted",
            field: field)
    }

    /// An encrypted value in the public database.
    package static func encryptedInPublicDatabase(field: String) -> ServerError {
        ServerError(
            .encryptedInPublicDatabase, "encrypted fields are not supported in the public database", field: field)
    }
}
