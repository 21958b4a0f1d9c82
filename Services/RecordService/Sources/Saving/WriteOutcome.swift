package import CloudKitModel
internal import CloudKitWire
package import RecordStorage

/// The outcome of one operation.
package enum OperationOutcome: Sendable {
    /// The record was saved and has this state after the operation.
    case saved(StoredRecord)
    /// The record was deleted, or never existed (`forceDelete`).
    case deleted(name: RecordName)
    /// The operation was refused. For a conflict, `server` is the record that caused it.
    case failed(ServerError, name: RecordName?, server: StoredRecord?)

    /// Whether the operation was refused.
    package var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// The size of the saved record, in bytes; 0 if no record was saved. Each outcome has its own copy of a saved
    /// record. The records of refused operations are not counted, because several outcomes can share them.
    var savedBytes: Int {
        if case .saved(let record) = self { record.size } else { 0 }
    }

    /// The record's name, if it is known.
    package var name: RecordName? {
        switch self {
        case .saved(let record): record.name
        case .deleted(let name): name
        case .failed(_, let name, _): name
        }
    }
}

/// The outcome of a request.
package struct WriteOutcome: Sendable {
    /// The outcomes in the order of the operations.
    package var operations: [OperationOutcome]
    /// Whether an atomic request failed, in which case nothing was saved.
    package var isAtomicFailure: Bool

    /// Whether every operation was refused.
    package var isFailure: Bool { operations.allSatisfy(\.isFailure) }
}
