/// What comes back for a message.
enum ModelAnswer: Equatable, Sendable {
    /// The whole request failed, or the one zone that it names.
    case refused(ModelError)
    /// One item for each operation; `isAtomicFailure`: one failed and nothing was saved.
    case records([ModelItem], isAtomicFailure: Bool)
    case zone(isDeleted: Bool)
}

/// What comes back for an operation.
enum ModelItem: Equatable, Sendable {
    case saved(ModelRecord)
    case deleted(String)
    /// `server`: the record that a conflict shows.
    case failed(String, ModelError, server: ModelRecord?)

    /// The record as it was saved; nil when it was not.
    var record: ModelRecord? { if case .saved(let record) = self { record } else { nil } }
    /// The error; nil when there is none.
    var error: ModelError? { if case .failed(_, let error, _) = self { error } else { nil } }

    /// As much as a repeat has to tell again: a record's fields may be those that the request carried, and a conflict's
    /// record the present one.
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
    /// As much as a repeat has to tell again.
    var outline: ModelAnswer {
        guard case .records(let items, let isAtomicFailure) = self else { return self }
        return .records(items.map(\.outline), isAtomicFailure: isAtomicFailure)
    }

    /// Whether the two are the same failure of an atomic batch, only that this one does not blame every operation that
    /// `other` blames for a broken reference: of two deletions that take away the same record, either may be the culprit.
    func namesFewerCulprits(than other: ModelAnswer) -> Bool {
        guard case .records(let items, true) = self, case .records(let others, true) = other,
            items.count == others.count, items.contains(where: { $0.error == .brokenReference })
        else { return false }
        return zip(items, others).allSatisfy { item, other in
            item == other
                || (item.error == .atomicFailure && other.error == .brokenReference && item.name == other.name)
        }
    }

    /// The items; none when the request failed as a whole.
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

    /// The records that have to be there as long as this one is.
    var needed: Set<String> { Set(fields.values.compactMap { $0.target(.validate) } + (parent.map { [$0] } ?? [])) }
    /// The records with which this one goes.
    var owners: Set<String> { Set(fields.values.compactMap { $0.target(.deleteSelf) }) }
}

/// An error: the wire's code and CKError's.
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
