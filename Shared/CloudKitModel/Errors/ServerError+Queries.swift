/// The errors of queries. Texts in quotes are CloudKit's own, word for word.
extension ServerError {
    /// "Did not find record type: X"
    package static func recordTypeNotFound(_ name: String) -> ServerError {
        ServerError(.recordTypeNotFound, "Did not find record type: \(name)", field: "recordType", recordType: name)
    }

    /// "Did not find record type: X" of a save whose type's name cannot exist. Clients match the first words.
    package static func recordTypeImpossible(_ name: String, _ fault: ValidationError) -> ServerError {
        ServerError(
            .recordTypeNotFound, "Did not find record type: \(name.prefix(NameRules.maxBytes)). \(fault.reason)",
            field: "recordType")
    }

    /// "Did not find field: 'x' in type: 'T'"
    package static func fieldNotFound(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotFound, "Did not find field: '\(field)' in type: '\(recordType)'", field: field,
            recordType: recordType)
    }

    /// A field that cannot be asked what it was asked.
    /// - Parameter why: What it is instead, after its name.
    package static func notComparable(_ field: String, _ why: String, recordType: String) -> ServerError {
        ServerError(.notComparable, "The field '\(field)' \(why)", field: field, recordType: recordType)
    }

    /// "Field 'x' is not marked queryable"
    package static func fieldNotQueryable(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotQueryable, "Field '\(field)' is not marked queryable", field: field, recordType: recordType)
    }

    /// "Field 'x' is not marked sortable"
    package static func fieldNotSortable(_ field: String, recordType: String) -> ServerError {
        ServerError(.fieldNotSortable, "Field '\(field)' is not marked sortable", field: field, recordType: recordType)
    }

    /// No field that a search for words could look at.
    package static func fieldNotSearchable(_ field: String, recordType: String) -> ServerError {
        ServerError(
            .fieldNotSearchable, "Field '\(field)' is not marked searchable", field: field, recordType: recordType)
    }

    /// What CloudKit refuses, refused by `compat`.
    package static func predicateNotSupported(_ what: String, field: String? = nil) -> ServerError {
        ServerError(.predicateNotSupported, what, field: field)
    }

    /// A pattern that is none.
    /// - Parameter offset: Where it ends to be one, in Unicode scalars from 0.
    package static func regularExpressionInvalid(_ why: String, offset: Int, field: String) -> ServerError {
        var error = ServerError(
            .regularExpressionInvalid,
            "The regular expression for '\(field)' cannot be read at character \(offset + 1): \(why)", field: field)
        error.column = offset + 1
        return error
    }
}
