internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import ServiceMessages

/// The plan of one operation, before references are considered.
enum PlannedOperation {
    /// The operation is not executed.
    case refused(Refusal)
    /// There is nothing to do, for example because the record to be deleted does not exist.
    case idle(name: RecordName)
    /// A record to be written.
    case save(PlannedSave)
    /// A record to be deleted.
    case delete(PlannedDeletion)

    /// The outcome, to the extent that it is known before the changes are numbered.
    var outcome: OperationOutcome {
        switch self {
        case .refused(let refusal): .failed(refusal.error, name: refusal.name, server: refusal.server)
        case .idle(let name): .deleted(name: name)
        case .save(let save) where save.isDeparture: .deleted(name: save.record.name)
        case .save(let save): .saved(save.record)
        case .delete(let deletion): .deleted(name: deletion.record.name)
        }
    }
}

/// A record to be written.
struct PlannedSave {
    let key: RecordKey
    let type: RecordTypeSchema
    /// The new state, whose change has no number yet.
    var record: StoredRecord
    /// The current record; nil if there is none.
    let current: StoredRecord?
    /// Whether the fields of `current` were not read.
    let isOmitted: Bool
    let changedKeys: [String]
    /// The links of the record after the change.
    let links: Set<RecordLink>
    /// The links that the operation names. Their targets must exist.
    let named: [RecordLink]
    /// Whether a participant leaves the share with this save. The operation is then answered like a deletion.
    var isDeparture = false
}

/// A record to be deleted.
struct PlannedDeletion {
    let key: RecordKey
    /// The current record.
    let record: StoredRecord
    /// The change tag of its tombstone.
    let changeTag: String
}

/// The reason why an operation was refused.
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
