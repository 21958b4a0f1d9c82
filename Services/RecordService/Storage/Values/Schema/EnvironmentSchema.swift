internal import CloudKitModel
package import CloudKitSchema
internal import CloudKitWire

/// The schema of one environment as one statement found it.
package struct EnvironmentSchema: Sendable {
    /// Types, fields and grants that are taken away or changed make another version, and so does an index over words that
    /// comes or goes, or a type that is watched from then on; what is learnt does not.
    package internal(set) var version: Int64 = 0
    /// Another, larger number whenever types, fields, grants or roles were taken away or changed, or the environment was
    /// reset: whoever relies on what a user may see asks again.
    package internal(set) var rights: Int64 = 0
    /// The roles that were made.
    package internal(set) var roles: [String] = []
    var types: [String: RecordTypeSchema] = [:]
    var names: [RecordTypeID: String] = [:]
    var layouts: [RecordTypeID: RecordLayout] = [:]
    var rolesOfUsers: [String: Set<String>] = [:]

    /// The type of that name, unless it is hidden.
    package func type(_ name: String) -> RecordTypeSchema? {
        types[name].flatMap { $0.isHidden ? nil : $0 }
    }

    /// The type with that id, hidden ones too.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? { names[id].flatMap { types[$0] } }

    /// By what the records of the type with that id are read, hidden types too.
    package func layout(_ id: RecordTypeID) -> RecordLayout? { layouts[id] }

    /// All types, hidden ones too, by name.
    package var allTypes: [String: RecordTypeSchema] { types }

    /// The custom roles of a user.
    package func roles(of user: String) -> Set<String> { rolesOfUsers[user] ?? [] }

    /// The members of each role that was made, roles and members in order.
    package var members: [(role: String, users: [String])] {
        roles.map { role in (role, rolesOfUsers.filter { $0.value.contains(role) }.keys.sorted()) }
    }

    /// What the schema language says of the environment. User records' type is there when it was made more than it is
    /// by itself.
    package var definition: SchemaDefinition {
        SchemaDefinition(
            roles: roles,
            recordTypes: types.values.filter { !$0.isHidden }.map(\.definition).filter { $0 != .users })
    }

    /// How many fields there are: of two readings of one version the one with more is the later one.
    var fieldCount: Int { types.values.reduce(types.count) { $0 + $1.fields.count } }

    /// Whether records have a type or a field that is not known.
    func lacks(_ ids: Set<RecordTypeID>, _ records: [StoredRecord]) -> Bool {
        guard ids.allSatisfy({ layouts[$0] != nil }) else { return true }
        return records.contains { record in
            guard let layout = layouts[record.type] else { return true }
            return record.fields.map { !$0.areAll(in: layout.fields) } ?? false
        }
    }

    /// The schema of an environment that is yet to be made.
    package init() {}
}

extension RecordTypeDefinition {
    /// The type of user records, which every environment has, as it is before anybody changes it (semantics 1.4).
    package static let users = RecordTypeDefinition(
        name: "Users",
        grants: [
            GrantDefinition(role: SystemRole.creator.rawValue, permissions: .write),
            GrantDefinition(role: SystemRole.world.rawValue, permissions: .read),
        ])
}
