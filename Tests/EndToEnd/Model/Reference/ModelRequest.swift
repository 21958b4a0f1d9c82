/// A message that a client sends. Both the model and the service execute it.
struct ModelMessage: Sendable {
    /// The `message-id`.
    let id: String
    /// The originating client, which is the device in records.
    let client: String
    /// Whether the rules of the web interface apply, by which an owner must exist (semantics 5.2).
    var isWeb = false
    /// The participant who sends the message to the shared database; nil if the owner of the zone sends it.
    var participant: String?
    /// The content of the message.
    let request: ModelRequest
}

/// The content of a message. It concerns one zone.
enum ModelRequest: Equatable, Sendable {
    /// `records.modify`; `atomic` is omitted if nil.
    case records(zone: String, [ModelOperation], atomic: Bool?)
    /// `zones.modify` for one zone.
    case createZone(String)
    case deleteZone(String)
    /// `records.lookup`
    case lookup(zone: String, [String])
    /// `records.accept` for one link, which leads or has led to a share of the zone.
    case accept(zone: String, link: String)

    /// The zone.
    var zone: String {
        switch self {
        case .records(let zone, _, _), .createZone(let zone), .deleteZone(let zone), .lookup(let zone, _),
            .accept(let zone, _):
            zone
        }
    }

    /// Whether the request creates or deletes the zone.
    var isOfZones: Bool {
        switch self {
        case .createZone, .deleteZone: true
        case .records, .lookup, .accept: false
        }
    }

    /// Whether the request accepts a share.
    var isAcceptance: Bool { if case .accept = self { true } else { false } }

    /// Whether the request changes nothing, so that its id has no meaning.
    var isRead: Bool { if case .lookup = self { true } else { false } }
}

/// One operation of `records.modify`.
struct ModelOperation: Equatable, Sendable {
    /// The operation types of web-services 3.11, with their names on the wire.
    enum Kind: String, CaseIterable, Sendable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        var isDelete: Bool { self == .delete || self == .forceDelete }
        /// Whether fields that the operation omits lose their values.
        var replaces: Bool { self == .replace || self == .forceReplace }
        /// Whether a change tag, if there is one, must be the current one.
        var comparesTag: Bool { self == .update || self == .replace || self == .delete }
    }

    /// The change to the record's parent in a save.
    enum Parent: Equatable, Sendable {
        case absent, clear, set(String)
    }

    var kind: Kind
    /// The record name; nil to let the service choose it.
    let name: String?
    let type: String?
    /// The fields to save; nil clears a field.
    var fields: [String: ModelValue?] = [:]
    var parent = Parent.absent
    var tag: String?
    /// The keys of a share that the operation saves; nil if the record is not a share.
    var share: ModelShareChange?

    /// Returns the records that the operation names and that must exist after it.
    func needed(isWeb: Bool) -> Set<String> {
        var names = Set(fields.values.compactMap { $0?.target(.validate) })
        if isWeb { names.formUnion(fields.values.compactMap { $0?.target(.deleteSelf) }) }
        if case .set(let name) = parent { names.insert(name) }
        return names
    }
}

/// A field's value.
enum ModelValue: Hashable, Sendable {
    enum Action: String, CaseIterable, Sendable {
        case none = "NONE"
        case deleteSelf = "DELETE_SELF"
        case validate = "VALIDATE"
    }

    case number(Int64)
    /// A record of the same zone.
    case reference(String, Action)
    /// A part of a share's dictionary.
    case text(String)

    /// Returns the record to which the value refers with `action`; nil if there is none.
    func target(_ action: Action) -> String? { if case .reference(let name, action) = self { name } else { nil } }
}
