/// The errors for queries. Quoted messages are CloudKit's own, verbatim.
extension ServerError {
    /// "Did not find record type: X".
    package static func recordTypeNotFound(_ name: String) -> ServerError {
        ServerError(.recordTypeNotFound, "Did not find record type: \(name)", field: "recordType", recordType: name)
    }

    /// "Did not find record type: X. reason" for a save whose record type has an invalid name. Clients match the
    /// beginning of the message.
    package static func recordTypeImpossible(_ name: String, _ fault: ValidationError) -> ServerError {
        ServerError(
            .recordTypeNotFound, "Did not find record type: \(name.prefix(NameRules.maxBytes)). \(fault.reason)",
            field: "recordType")
    }

    /// "Did not find field: 'x' in type: 'T'".
    package static func fieldNotFound(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotFound, "Did not find field: '\(field)' in type: '\(recordType)'", field: field,
            recordType: recordType)
    }

    /// The field does not support this comparison.
    /// - Parameter why: The reason, worded to follow the field's name.
    package static func notComparable(_ field: String, _ why: String, recordType: String) -> ServerError {
        ServerError(.notComparable, "The field '\(field)' \(why)", field: field, recordType: recordType)
    }

    /// "Field 'x' is not marked queryable".
    package static func fieldNotQueryable(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotQueryable, "Field '\(field)' is not marked queryable", field: field, recordType: recordType)
    }

    /// "Field 'x' is not marked sortable".
    package static func fieldNotSortable(_ field: String, recordType: String) -> ServerError {
        ServerError(.fieldNotSortable, "Field '\(field)' is not marked sortable", field: field, recordType: recordType)
    }

    /// "Field 'x' is not marked searchable".
    package static func fieldNotSearchable(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotSearchable, "Field '\(field)' is not marked searchable", field: field, recordType: recordType)
    }

    /// CloudKit rejects this predicate, and so does the `compat` profile.
    package static func predicateNotSupported(_ what: String, field: String? = nil) -> ServerError {
        ServerError(.predicateNotSupported, what, field: field)
    }

    /// The pattern is not a valid regular expression.
    /// - Parameter offset: The position of the first invalid character, counted in Unicode scalars and starting at 0.
    package static func regularExpressionInvalid(_ why: String, offset: Int, field: String) -> ServerError {
        var error = ServerError(
            .regularExpressionInvalid,
            "The regular expression for '\(field)' is invalid at character \(offset + 1): \(why)", field: field)
        error.column = offset + 1
        return error
    }
}
