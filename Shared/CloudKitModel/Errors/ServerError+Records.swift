/// The errors for saving and fetching records. Quoted messages are CloudKit's own, verbatim.
extension ServerError {
    /// "Record not found": the record to look up, update or delete does not exist.
    package static func recordNotFound(_ recordName: RecordName? = nil) -> ServerError {
        ServerError(.recordNotFound, "Record not found").about(recordName: recordName)
    }

    /// "Record not found: it was deleted": the record that the client tried to change existed earlier, but has been
    /// deleted (semantics 4.2).
    package static func recordDeleted(_ recordName: RecordName) -> ServerError {
        ServerError(.recordNotFound, "Record not found: it was deleted").about(recordName: recordName)
    }

    /// "client oplock error updating record": the change tag is not current. The item's error contains the server's
    /// record.
    package static func staleChangeTag(_ recordName: RecordName) -> ServerError {
        ServerError(
            .changeTagStale, "client oplock error updating record"
        ).about(recordName: recordName)
    }

    /// "record to insert already exists": the record to `create` exists. The item's error contains the server's record.
    package static func recordExists(_ recordName: RecordName) -> ServerError {
        ServerError(
            .recordExists, "record to insert already exists"
        ).about(recordName: recordName)
    }

    /// The operation was valid, but another operation of the atomic batch failed.
    package static func atomicFailure(_ recordName: RecordName? = nil) -> ServerError {
        ServerError(
            .atomicFailure, "not saved because of an error in another operation of this atomic batch"
        ).about(recordName: recordName)
    }

    /// The error of the whole request when an operation of an atomic batch fails.
    package static func atomicBatchFailed(failed: Int, of count: Int) -> ServerError {
        ServerError(.atomicFailure, "\(failed) of \(count) operations failed; nothing was saved")
    }

    /// The save would change the type of an existing record.
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

    /// The record's counted size exceeds the limit.
    /// - Parameter largest: The names of the largest fields with their counted sizes in bytes, largest first.
    package static func recordTooLarge(
        limit: Int, actual: Int, largest: [(name: String, bytes: Int)] = []
    ) -> ServerError {
        let fields = largest.map { "'\($0.name)' \($0.bytes)" }.joined(separator: ", ")
        return ServerError(
            .recordTooLarge,
            "record too large: \(actual) bytes; the limit is \(limit)"
                + (fields.isEmpty ? "" : "; largest fields: \(fields)"),
            field: largest.first?.name, limit: limit, actual: actual)
    }

    /// The record does not fit in a reply of at most `limit` bytes.
    package static func replyTooLarge(_ limit: Int) -> ServerError {
        ServerError(
            .replyTooLarge,
            "The record does not fit in the reply; request it separately or with fewer fields",
            limit: limit)
    }

    /// The parent, or the target of a validating reference, neither exists nor is part of the request.
    package static func referenceTargetMissing(field: String, target: RecordName) -> ServerError {
        ServerError(
            .referenceTargetMissing, "The record '\(target)' that field '\(field)' refers to does not exist",
            field: field)
    }

    /// The record cannot be deleted, because a record that is not being deleted has this record as its parent or refers
    /// to it with `VALIDATE`.
    package static func stillReferenced(_ recordName: RecordName, by source: RecordName, field: String) -> ServerError {
        ServerError(
            .recordStillReferenced,
            "The record '\(recordName)' cannot be deleted: the field '\(field)' of '\(source)' refers to it",
            field: field)
    }

    /// More `DELETE_SELF` references point to one record than the limit allows.
    package static func tooManyOwningReferences(field: String, limit: Int, actual: Int) -> ServerError {
        ServerError(
            .tooManyOwningReferences, "Limit exceeded for number of owning references to single record",
            field: field, limit: limit, actual: actual)
    }

    /// The reference points to a record in another zone.
    package static func referenceLeavesZone(field: String) -> ServerError {
        ServerError(
            .referenceLeavesZone, "The reference in field '\(field)' refers to a record in another zone", field: field)
    }
}
