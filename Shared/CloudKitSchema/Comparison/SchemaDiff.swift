internal import CloudKitModel

/// The differences between two schemas.
package struct SchemaDiff: Hashable, Sendable {
    /// The changes, in an order in which they can be applied: roles are added before the grants that name them and
    /// removed after those grants, and types are added before their fields. Items of the new schema are sorted by name;
    /// removed items follow them.
    package private(set) var changes: [SchemaChange] = []

    /// Compares two schemas.
    package init(from old: SchemaDefinition, to new: SchemaDefinition) {
        let (oldRoles, newRoles) = (Set(old.roles), Set(new.roles))
        changes += newRoles.subtracting(oldRoles).sorted().map(SchemaChange.roleAdded)
        Self.merge(old.recordTypes, new.recordTypes, by: \.name) { compare($0, $1) }
        changes += oldRoles.subtracting(newRoles).sorted().map(SchemaChange.roleRemoved)
    }

    /// Whether the schemas are equal.
    package var isEmpty: Bool { changes.isEmpty }

    /// The changes that lose data.
    package var losses: [SchemaChange] { changes.filter(\.losesData) }

    private mutating func compare(_ old: RecordTypeDefinition?, _ new: RecordTypeDefinition?) {
        guard let new else {
            changes += old.map { [.typeRemoved($0.name)] } ?? []
            return
        }
        if old == nil { changes.append(.typeAdded(new.name)) }
        let old = old ?? RecordTypeDefinition(name: new.name)
        Self.merge(old.fields, new.fields, by: \.name) { compare($0, $1, of: new.name) }
        Self.merge(old.grants, new.grants, by: \.role) { compare($0, $1, of: new.name) }
    }

    private mutating func compare(_ old: FieldDefinition?, _ new: FieldDefinition?, of type: String) {
        guard let old else { return changes += new.map { [.fieldAdded(type: type, $0)] } ?? [] }
        guard let new else { return changes.append(.fieldRemoved(type: type, old)) }
        if let preference = new.type.numberPreference, old.type == .number {
            changes.append(.numberPreferenceAdded(type: type, field: new.name, preference))
        } else if old.type != new.type {
            changes.append(.fieldTypeChanged(type: type, field: new.name, from: old.type, to: new.type))
        }
        for (index, _) in FieldIndexes.keywords {
            switch (old.indexes.contains(index), new.indexes.contains(index)) {
            case (false, true): changes.append(.indexAdded(type: type, field: new.name, index))
            case (true, false): changes.append(.indexRemoved(type: type, field: new.name, index))
            default: break
            }
        }
    }

    private mutating func compare(_ old: GrantDefinition?, _ new: GrantDefinition?, of type: String) {
        switch (old, new) {
        case (nil, let new?): changes.append(.grantAdded(type: type, new))
        case (let old?, nil): changes.append(.grantRemoved(type: type, old))
        case (let old?, let new?) where old != new: changes.append(.grantChanged(type: type, from: old, to: new))
        default: break
        }
    }

    /// Calls `body` with each item of `new` and the item with the same name in `old`, and then with each item that only
    /// `old` contains.
    private static func merge<Item>(
        _ old: [Item], _ new: [Item], by name: KeyPath<Item, String>, _ body: (Item?, Item?) -> Void
    ) {
        let byName = Dictionary(old.map { ($0[keyPath: name], $0) }, uniquingKeysWith: { first, _ in first })
        let names = Set(new.map { $0[keyPath: name] })
        for item in new { body(byName[item[keyPath: name]], item) }
        for item in old where !names.contains(item[keyPath: name]) { body(item, nil) }
    }
}
