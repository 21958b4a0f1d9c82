/// The answer to a message.
enum ModelAnswer: Equatable, Sendable {
    /// The whole request failed, or the operation on the one zone that it names.
    case refused(ModelError)
    /// One item for each operation. If `isAtomicFailure` is true, an operation failed and nothing was saved.
    case records([ModelItem], isAtomicFailure: Bool)
    case zone(isDeleted: Bool)
    /// The user is a participant who has accepted the share.
    case accepted
}

/// The answer to one operation.
enum ModelItem: Equatable, Sendable {
    case saved(ModelRecord)
    case deleted(String)
    /// The participant left the share. The answer to the client is that of a deletion.
    case left(String)
    /// There is no record to delete that the user sees. The answer to the client is that of a deletion.
    case idle(String)
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
        case .deleted, .left, .idle: return self
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

    /// Returns the same answer with the change tags of `other` instead of those that the model does not know.
    func filled(from other: ModelAnswer) -> ModelAnswer {
        guard case .records(let items, let isAtomicFailure) = self, items.count == other.items.count else {
            return self
        }
        let filled = zip(items, other.items).map { item, other -> ModelItem in
            switch (item, other) {
            case (.saved(let record), .saved(let seen)): .saved(record.filled(from: seen))
            case (.failed(let name, let error, let server?), .failed(_, _, let seen)):
                .failed(name, error, server: server.filled(from: seen))
            default: item
            }
        }
        return .records(filled, isAtomicFailure: isAtomicFailure)
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

    /// Stands for a change tag that the model does not know yet.
    static let unknownTag = "?"

    /// Returns the same record with the change tag of `other`, if the model does not know the record's own.
    func filled(from other: ModelRecord?) -> ModelRecord {
        guard let other, tag == Self.unknownTag else { return self }
        var record = self
        record.tag = other.tag
        return record
    }

    /// The same record without the devices that created and saved it.
    var withoutStamps: ModelRecord {
        var record = self
        (record.creator, record.modifier) = ("", "")
        return record
    }

    /// Whether the record is a share.
    var isShare: Bool { type == ModelShare.recordType }
    /// The link in the record of a share.
    var link: String? { if case .text(let link)? = fields["shortGUID"] { link } else { nil } }

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
    static let zoneBusy = ModelError(code: "TRY_AGAIN_LATER", number: 23)
    static let accessDenied = ModelError(code: "ACCESS_DENIED", number: 10)
    static let alreadyShared = ModelError(code: "BAD_REQUEST", number: 30)
    static let zoneSharedAsWhole = ModelError(code: "BAD_REQUEST", number: 15)
}
