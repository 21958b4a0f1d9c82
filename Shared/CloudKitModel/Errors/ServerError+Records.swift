/// The errors of saving and fetching records. Texts in quotes are CloudKit's own, word for word.
extension ServerError {
    /// "Record not found": a lookup, update or delete of a record that is not there.
    package static func recordNotFound(_ recordName: RecordName? = nil) -> ServerError {
        ServerError(.recordNotFound, "Record not found").about(recordName: recordName)
    }

    /// The same of one that was there: what the client changed is gone (semantics 4.2).
    package static func recordDeleted(_ recordName: RecordName) -> ServerError {
        ServerError(.recordNotFound, "Record not found: it was deleted").about(recordName: recordName)
    }

    /// "client oplock error updating record": the change tag is not the current one. The item's error carries the
    /// server's record.
    package static func staleChangeTag(_ recordName: RecordName) -> ServerError {
        ServerError(
            .changeTagStale, "client oplock error updating record"
        ).about(recordName: recordName)
    }

    /// "record to insert already exists": `create` met a record. The item's error carries the server's record.
    package static func recordExists(_ recordName: RecordName) -> ServerError {
        ServerError(
            .recordExists, "record to insert already exists"
        ).about(recordName: recordName)
    }

    /// An operation that would have succeeded, of an atomic batch in which another did not.
    package static func atomicFailure(_ recordName: RecordName? = nil) -> ServerError {
        ServerError(
            .atomicFailure, "not saved because of an error in another operation of this atomic batch"
        ).about(recordName: recordName)
    }

    /// The whole answer to an atomic batch in which something failed.
    package static func atomicBatchFailed(failed: Int, of count: Int) -> ServerError {
        ServerError(.atomicFailure, "\(failed) of \(count) operations failed; nothing was saved")
    }

    /// A save that would change the type of an existing record.
    package static func recordTypeChanged(_ recordName: RecordName) -> ServerError {
        ServerError(
            .recordTypeChanged, "record type of an existing record cannot change",
            field: "recordType"
        ).about(recordName: recordName)
    }

    /// Two operations of one request name the same record.
    package static func duplicateRecord(_ recordName: RecordName) -> ServerError {
        ServerError(
            .recordRepeated, "The record '\(recordName)' occurs twice in the request",
            field: "recordName"
        ).about(recordName: recordName)
    }

    /// A record whose counted size is over the limit.
    /// - Parameter largest: The names of the largest fields with their counted bytes, largest first.
    package static func recordTooLarge(
        limit: Int, actual: Int, largest: [(name: String, bytes: Int)] = []
    ) -> ServerError {
        let fields = largest.map { "'\($0.name)' \($0.bytes)" }.joined(separator: ", ")
        return ServerError(
            .recordTooLarge,
            "record too large: \(actual) bytes of at most \(limit)"
                + (fields.isEmpty ? "" : "; largest fields: \(fields)"),
            field: largest.first?.name, limit: limit, actual: actual)
    }

    /// A record that there is no room for in an answer of at most `limit` bytes.
    package static func replyTooLarge(_ limit: Int) -> ServerError {
        ServerError(
            .replyTooLarge,
            "There is no room for the record in the reply; ask for it alone, or for fewer of its fields",
            limit: limit)
    }

    /// A parent, or the target of a validating reference, is neither there nor in the request.
    package static func referenceTargetMissing(field: String, target: RecordName) -> ServerError {
        ServerError(
            .referenceTargetMissing, "The record '\(target)' that field '\(field)' refers to does not exist",
            field: field)
    }

    /// A record that cannot be deleted: another, which stays, has it as its parent or points to it by `VALIDATE`.
    package static func stillReferenced(_ recordName: RecordName, by source: RecordName, field: String) -> ServerError {
        ServerError(
            .recordStillReferenced,
            "The record '\(recordName)' cannot be deleted: the field '\(field)' of '\(source)' refers to it",
            field: field)
    }

    /// A record with more `DELETE_SELF` references to it than it may have.
    package static func tooManyOwningReferences(field: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyOwningReferences, "Limit exceeded for number of owning references to single record",
            field: field, limit: limit, actual: actual)
    }

    /// A reference to a record of another zone.
    package static func referenceLeavesZone(field: String) -> ServerError {
        ServerError(
            .referenceLeavesZone, "The reference in field '\(field)' names a record of another zone", field: field)
    }
}
