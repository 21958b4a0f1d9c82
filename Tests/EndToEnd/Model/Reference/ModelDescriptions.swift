/// Short lines for the trace of a failure.
extension ModelMessage: CustomStringConvertible {
    var description: String {
        "\(id) of \(client)\(isWeb ? ", web" : "")\(participant == nil ? "" : ", participant"): \(request)"
    }
}

extension ModelRequest: CustomStringConvertible {
    var description: String {
        switch self {
        case .createZone(let zone): "create zone \(zone)"
        case .deleteZone(let zone): "delete zone \(zone)"
        case .lookup(let zone, let names): "look up \(names) in \(zone)"
        case .accept(let zone, let link): "accept \(link) in \(zone)"
        case .records(let zone, let operations, let atomic):
            "in \(zone)\(atomic.map { $0 ? ", atomic" : ", not atomic" } ?? "") \(operations)"
        }
    }
}

extension ModelOperation: CustomStringConvertible {
    var description: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.map { "\($0)" } ?? "nil")" }
        let parent = if case .absent = parent { "" } else { " parent \(parent)" }
        let tag = tag.map { " tag \($0)" } ?? ""
        let share = share.map { " \($0)" } ?? ""
        return
            "\(kind.rawValue) \(name ?? "?"):\(type ?? "?") {\(fields.joined(separator: " "))}\(parent)\(tag)\(share)"
    }
}

extension ModelValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .reference(let name, let action): "\(name)/\(action.rawValue)"
        case .text(let text): text
        }
    }
}

extension ModelRecord: CustomStringConvertible {
    var description: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        return "\(name):\(type) {\(fields)}\(parent.map { " parent \($0)" } ?? "") tag \(tag) by \(creator)/\(modifier)"
    }
}

extension ModelError: CustomStringConvertible {
    var description: String { "\(code) (\(number))" }
}

extension ModelItem: CustomStringConvertible {
    var description: String {
        switch self {
        case .saved(let record): "saved \(record)"
        case .deleted(let name): "deleted \(name)"
        case .left(let name): "left \(name)"
        case .idle(let name): "nothing to delete for \(name)"
        case .failed(let name, let error, let server):
            "\(error) \(name)\(server.map { " (server has \($0))" } ?? "")"
        }
    }
}

extension ModelExchange: CustomStringConvertible {
    var description: String { "[\(sent)-\(answered)] \(message)\n      answered \(answer)" }
}

extension ZoneCopy: CustomStringConvertible {
    var description: String { "\(zone) at \(token ?? "nothing"): \(records)" }
}
