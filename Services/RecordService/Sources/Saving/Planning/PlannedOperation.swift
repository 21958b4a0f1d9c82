internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The result of an operation by itself, before references are considered.
enum PlannedOperation {
    /// The operation is not executed.
    case refused(Refusal)
    /// There is nothing to do: the record to be deleted does not exist.
    case idle(name: RecordName)
    /// A record to be written.
    case save(PlannedSave)
    /// A record to be deleted.
    case delete(PlannedDeletion)

    /// The outcome as far as it is known before changes have their numbers.
    var outcome: OperationOutcome {
        switch self {
        case .refused(let refusal): .failed(refusal.error, name: refusal.name, server: refusal.server)
        case .idle(let name): .deleted(name: name)
        case .save(let save): .saved(save.record)
        case .delete(let deletion): .deleted(name: deletion.record.name)
        }
    }
}

/// A record to be written.
struct PlannedSave {
    let key: RecordKey
    let type: RecordTypeSchema
    /// The new state; its change has no number yet.
    var record: StoredRecord
    /// The present record; nil if there is none.
    let current: StoredRecord?
    /// Whether the fields of `current` were not read.
    let isOmitted: Bool
    let changedKeys: [String]
    /// The links of the record after the change.
    let links: Set<RecordLink>
    /// The links that the operation itself names, whose targets have to exist.
    let named: [RecordLink]
}

/// A record to be deleted.
struct PlannedDeletion {
    let key: RecordKey
    /// The present record.
    let record: StoredRecord
    /// The change tag of its tombstone.
    let changeTag: String
}

/// The reason for which an operation was refused.
struct Refusal: Error {
    let error: ServerError
    let name: RecordName?
    /// The record that caused a conflict.
    let server: StoredRecord?

    init(_ error: ServerError, name: RecordName? = nil, server: StoredRecord? = nil) {
        self.error = error
        self.name = name
        self.server = server
    }
}
