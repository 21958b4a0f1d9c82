/// A zone of the model.
struct ModelZone: Equatable, Sendable {
    static let defaultName = "_defaultZone"

    /// The number of earlier zones with the same name; nil before the first zone.
    private(set) var incarnation: Int?
    /// Whether the zone exists.
    private(set) var isThere: Bool
    private(set) var records: [String: ModelRecord] = [:]
    /// The number of the last change of each record, including deleted ones.
    private(set) var changes: [String: Int] = [:]
    private var lastChange = 0

    /// Creates a zone; one that never existed if `incarnation` is nil.
    init(incarnation: Int? = nil) {
        self.incarnation = incarnation
        isThere = incarnation != nil
    }

    /// Executes a message that names this zone.
    ///
    /// - Parameter chosen: the items of the service's answer, because the service chooses names and change tags.
    mutating func perform(_ message: ModelMessage, chosen: [ModelItem]) -> ModelAnswer {
        switch message.request {
        case .createZone:
            if !isThere { self = ModelZone(incarnation: (incarnation ?? 0) + 1) }
            return .zone(isDeleted: false)
        case .deleteZone:
            guard isThere else { return .refused(.zoneNotFound) }
            (isThere, records, changes) = (false, [:], [:])
            return .zone(isDeleted: true)
        case .lookup(_, let names):
            guard isThere else { return .refused(.zoneNotFound) }
            let items = names.map { records[$0].map { .saved($0) } ?? ModelItem.failed($0, .notFound, server: nil) }
            return .records(items, isAtomicFailure: false)
        case .records(let zone, let operations, let atomic):
            guard isThere else { return .refused(.zoneNotFound) }
            let items = operations.enumerated().map { index, operation in
                item(operation, chosen: chosen.indices.contains(index) ? chosen[index] : nil, device: message.client)
            }
            let named = operations.map { $0.needed(isWeb: message.isWeb) }
            return settle(items, naming: named, isAtomic: atomic != false && zone != Self.defaultName)
        }
    }

    /// Returns the result of one operation on its own, by the table of web-services 3.11.
    private func item(_ operation: ModelOperation, chosen: ModelItem?, device: String) -> ModelItem {
        let name = operation.name ?? chosen?.name ?? ""
        // Only an operation that may find an existing record can omit the type.
        if operation.kind == .create, operation.type == nil { return .failed(name, .badRequest, server: nil) }
        guard let present = records[name] else {
            switch operation.kind {
            case .forceDelete: return .deleted(name)
            case .update, .replace, .delete: return .failed(name, .notFound, server: nil)
            case .create, .forceUpdate, .forceReplace: break
            }
            guard let type = operation.type else { return .failed(name, .badRequest, server: nil) }
            return .saved(
                ModelRecord(
                    name: name, type: type, tag: chosen?.record?.tag ?? "",
                    fields: operation.fields.compactMapValues { $0 },
                    parent: operation.parent.applied(to: nil), creator: device, modifier: device))
        }
        if operation.kind == .create { return .failed(name, .conflict, server: present) }
        if operation.kind.comparesTag, let tag = operation.tag, tag != present.tag {
            return .failed(name, .conflict, server: present)
        }
        if operation.kind.isDelete { return .deleted(name) }
        if let type = operation.type, type != present.type { return .failed(name, .badRequest, server: nil) }
        let kept = operation.kind.replaces ? nil : present
        var record = present
        record.tag = chosen?.record?.tag ?? ""
        record.fields = (kept?.fields ?? [:]).merging(operation.fields.compactMapValues { $0 }) { $1 }
        for (field, value) in operation.fields where value == nil { record.fields[field] = nil }
        record.parent = operation.parent.applied(to: kept?.parent)
        record.modifier = device
        return .saved(record)
    }

    /// Applies the items as far as references allow it.
    ///
    /// - Parameter named: for each item, the records that it needs.
    private mutating func settle(_ items: [ModelItem], naming named: [Set<String>], isAtomic: Bool) -> ModelAnswer {
        var items = items
        // An item that fails on its own undoes an atomic batch before references are checked.
        while !isAtomic || items.allSatisfy({ $0.error == nil }) {
            let circles = circles(of: items)
            for index in circles { items[index] = .failed(items[index].name, .badRequest, server: nil) }
            guard circles.isEmpty else { continue }
            let broken = breakers(of: items, naming: named)
            for index in broken { items[index] = .failed(items[index].name, .brokenReference, server: nil) }
            // Independent operations are checked again without the failed ones.
            if broken.isEmpty { break }
        }
        if isAtomic, items.contains(where: { $0.error != nil }) {
            items = items.map { $0.error == nil ? .failed($0.name, .atomicFailure, server: nil) : $0 }
            return .records(items, isAtomicFailure: true)
        }
        let after = outcome(of: items)
        // A record that was saved and then deleted by a cascade of the same batch also counts as changed.
        let touched = Set(records.keys).union(after.keys).filter { records[$0] != after[$0] }
            .union(items.compactMap(\.record?.name))
        if !touched.isEmpty { lastChange += 1 }
        for name in touched { changes[name] = lastChange }
        records = after
        return .records(items, isAtomicFailure: false)
    }
}

extension ModelOperation.Parent {
    /// Returns the parent after the change.
    fileprivate func applied(to present: String?) -> String? {
        switch self {
        case .absent: present
        case .clear: nil
        case .set(let name): name
        }
    }
}

extension ModelItem {
    /// The name of the record.
    var name: String {
        switch self {
        case .saved(let record): record.name
        case .deleted(let name), .failed(let name, _, _): name
        }
    }
}
