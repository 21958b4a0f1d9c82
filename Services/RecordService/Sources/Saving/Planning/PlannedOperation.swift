internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// What an operation comes to by itself, before references are looked at.
enum PlannedOperation {
    /// Not done.
    case refused(Refusal)
    /// Nothing to be done: the deletion of a record that is not there.
    case idle(name: RecordName)
    /// A record to be written.
    case save(PlannedSave)
    /// A record to be deleted.
    case delete(PlannedDeletion)

    /// What the client is told, as far as it is known before changes have their numbers.
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
    /// What is to be written; its change has no number yet.
    var record: StoredRecord
    /// What is there; nil: nothing is.
    let current: StoredRecord?
    /// Whether the fields of `current` were not read.
    let isOmitted: Bool
    let changedKeys: [String]
    /// The links of the record after the change.
    let links: Set<RecordLink>
    /// Those that the operation itself names: their targets have to be there.
    let named: [RecordLink]
}

/// A record to be deleted.
struct PlannedDeletion {
    let key: RecordKey
    /// What is there.
    let record: StoredRecord
    /// Its change tag as a tombstone.
    let changeTag: String
}

/// Why an operation was refused.
struct Refusal: Error {
    let error: ServerError
    let name: RecordName?
    /// The record that stood in the way.
    let server: StoredRecord?

    init(_ error: ServerError, name: RecordName? = nil, server: StoredRecord? = nil) {
        self.error = error
        self.name = name
        self.server = server
    }
}
