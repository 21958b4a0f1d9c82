package import CloudKitModel
internal import CloudKitWire

/// What became of one operation.
package enum OperationOutcome: Sendable {
    /// The record as the server now has it.
    case saved(StoredRecord)
    /// The record is gone (or never was, for `forceDelete`).
    case deleted(name: String)
    /// Refused; a conflict carries the record that stood in the way.
    case failed(ServerError, name: String?, server: StoredRecord?)

    /// Whether it was refused.
    package var isFailure: Bool {
        if case .failed = self { true } else { false }
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

/// A change to be logged: one effective operation.
package struct RecordChange: Sendable {
    /// What happened, as events spell it.
    package enum Kind: String, Sendable {
        case created, updated, deleted
    }

    /// The record.
    package var name: String
    /// Its type's name.
    package var type: String
    /// The zone's counter after it.
    package var seq: Int64
    /// What happened.
    package var kind: Kind
    /// The fields that were set or cleared, in order.
    package var changedKeys: [String]

    /// The array that the change log keeps and events carry.
    package static func json(_ changes: [RecordChange]) -> [UInt8] {
        var writer = WireWriter()
        writer.array(changes) { writer, change in
            writer.object { writer in
                writer.member("recordName", change.name)
                writer.member("recordType", change.type)
                writer.member("seq", change.seq)
                writer.member("change", change.kind.rawValue)
                writer.member("changedKeys", change.changedKeys)
            }
        }
        return writer.bytes
    }
}
