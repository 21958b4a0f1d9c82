/// One message that a client sends: the model executes it as well as the service.
struct ModelMessage: Sendable {
    /// Its `message-id`.
    let id: String
    /// The originating client, which records name as their device.
    let client: String
    /// Whether it comes by the rules of the web interface, where an owner has to be there (semantics 5.2).
    var isWeb = false
    /// What it asks.
    let request: ModelRequest
}

/// What a message asks. Everything in one zone.
enum ModelRequest: Equatable, Sendable {
    /// `records.modify`; `atomic` nil is left out.
    case records(zone: String, [ModelOperation], atomic: Bool?)
    /// `zones.modify`, one zone.
    case createZone(String)
    case deleteZone(String)
    /// `records.lookup`
    case lookup(zone: String, [String])

    /// The zone.
    var zone: String {
        switch self {
        case .records(let zone, _, _), .createZone(let zone), .deleteZone(let zone), .lookup(let zone, _): zone
        }
    }

    /// Whether it makes or deletes the zone.
    var isOfZones: Bool {
        switch self {
        case .createZone, .deleteZone: true
        case .records, .lookup: false
        }
    }

    /// Whether it changes nothing, and its id means nothing.
    var isRead: Bool { if case .lookup = self { true } else { false } }
}

/// One operation of `records.modify`.
struct ModelOperation: Equatable, Sendable {
    /// The types of web-services 3.11, by their names on the wire.
    enum Kind: String, CaseIterable, Sendable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        var isDelete: Bool { self == .delete || self == .forceDelete }
        /// Whether fields that are not given lose their values.
        var replaces: Bool { self == .replace || self == .forceReplace }
        /// Whether a change tag, when there is one, has to be the present one.
        var comparesTag: Bool { self == .update || self == .replace || self == .delete }
    }

    /// What a save says of the record's parent.
    enum Parent: Equatable, Sendable {
        case absent, clear, set(String)
    }

    let kind: Kind
    /// Nil leaves it to the service.
    let name: String?
    let type: String?
    /// Nil clears a field.
    var fields: [String: ModelValue?] = [:]
    var parent = Parent.absent
    var tag: String?

    /// The records that it names and that have to be there when it is done.
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

    /// The record that it refers to with that action.
    func target(_ action: Action) -> String? { if case .reference(let name, action) = self { name } else { nil } }
}
