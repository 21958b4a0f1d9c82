package import CloudKitModel
internal import CloudKitWire
package import RecordStorage

/// What became of one operation.
package enum OperationOutcome: Sendable {
    /// The record as the server now has it.
    case saved(StoredRecord)
    /// The record is gone (or never was, for `forceDelete`).
    case deleted(name: RecordName)
    /// Refused; a conflict carries the record that stood in the way.
    case failed(ServerError, name: RecordName?, server: StoredRecord?)

    /// Whether it was refused.
    package var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// The size of the record that was saved, of which each outcome has a copy of its own. Records that refused operations
    /// met are not counted: outcomes share them.
    var savedBytes: Int {
        if case .saved(let record) = self { record.size } else { 0 }
    }

    /// The record's name, when there is one.
    package var name: RecordName? {
        switch self {
        case .saved(let record): record.name
        case .deleted(let name): name
        case .failed(_, let name, _): name
        }
    }
}

/// What became of a request: one outcome per operation, in order.
package struct WriteOutcome: Sendable {
    /// In the order of the operations.
    package var operations: [OperationOutcome]
    /// An atomic batch in which something failed: nothing was saved.
    package var isAtomicFailure: Bool

    /// Whether every operation was refused.
    package var isFailure: Bool { operations.allSatisfy(\.isFailure) }
}
