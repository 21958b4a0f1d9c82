/// The answer to a message.
enum ModelAnswer: Equatable, Sendable {
    /// The whole request failed, or the operation on the one zone that it names.
    case refused(ModelError)
    /// One item for each operation. If `isAtomicFailure` is true, an operation failed and nothing was saved.
    case records([ModelItem], isAtomicFailure: Bool)
    case zone(isDeleted: Bool)
}

/// The answer to one operation.
enum ModelItem: Equatable, Sendable {
    case saved(ModelRecord)
    case deleted(String)
    /// The operation failed. `server` is the record that a conflict contains.
    case failed(String, ModelError, server: ModelRecord?)

    /// The record as it was saved; nil if it was not saved.
    var record: ModelRecord? { if case .saved(let record) = self { record } else { nil } }
    /// The error; nil if there is none.
    var error: ModelError? { if case .failed(_, let error, _) = self { error } else { nil } }

    /// The part of the item that the answer to a repeat must contain. A record's fields may be those in the request,
    /// and a conflict's record may be the current one.
    var outline: ModelItem {
        switch self {
        case .saved(var record):
            record.fields = [:]
            record.parent = nil
            return .saved(record)
        case .deleted: return self
        case .failed(let name, let error, _): return .failed(name, error, server: nil)
        }
    }
}

extension ModelAnswer {
    /// The part of the answer that the answer to a repeat must contain.
    var outline: ModelAnswer {
        guard case .records(let items, let isAtomicFailure) = self else { return self }
        return .records(items.map(\.outline), isAtomicFailure: isAtomicFailure)
    }

    /// Returns whether both are the same failure of an atomic batch, but this one reports fewer operations for a broken
    /// reference. If two deletions remove the same record, either of them may be reported.
    func namesFewerCulprits(than other: ModelAnswer) -> Bool {
        guard case .records(let items, true) = self, case .records(let others, true) = other,
            items.count == others.count, items.contains(where: { $0.error == .brokenReference })
        else { return false }
        return zip(items, others).allSatisfy { item, other in
            item == other
                || (item.error == .atomicFailure && other.error == .brokenReference && item.name == other.name)
        }
    }

    /// The items; empty if the request failed as a whole.
    var items: [ModelItem] { if case .records(let items, _) = self { items } else { [] } }
}

/// A record as clients see it.
struct ModelRecord: Equatable, Sendable {
    var name: String
    var type: String
    var tag: String
    var fields: [String: ModelValue]
    var parent: String?
    /// The device that created it.
    var creator: String
    /// The device that saved it last.
    var modifier: String

    /// The records that must exist as long as this one exists.
    var needed: Set<String> { Set(fields.values.compactMap { $0.target(.validate) } + (parent.map { [$0] } ?? [])) }
    /// The records with which this one is deleted.
    var owners: Set<String> { Set(fields.values.compactMap { $0.target(.deleteSelf) }) }
}

/// An error, with its code on the wire and its CKError code.
struct ModelError: Equatable, Sendable {
    let code: String
    let number: Int

    static let badRequest = ModelError(code: "BAD_REQUEST", number: 12)
    static let notFound = ModelError(code: "NOT_FOUND", number: 11)
    static let conflict = ModelError(code: "CONFLICT", number: 14)
    static let atomicFailure = ModelError(code: "ATOMIC_ERROR", number: 22)
    static let brokenReference = ModelError(code: "VALIDATING_REFERENCE_ERROR", number: 31)
    static let zoneNotFound = ModelError(code: "ZONE_NOT_FOUND", number: 26)
}
