internal import CloudKitModel
package import CloudKitSchema
internal import CloudKitWire

/// The schema of one environment, read with a single statement.
package struct EnvironmentSchema: Sendable {
    /// The version of the schema. It changes when types, fields or grants are removed or changed, when a word index is
    /// added or dropped, and when a subscription begins to watch a type. It does not change when a save extends the
    /// schema.
    package internal(set) var version: Int64 = 0
    /// A number that grows whenever types, fields, grants or roles are removed or changed, and when the environment is
    /// reset. After the number changes, a service that caches what users are allowed to read must request this
    /// information again.
    package internal(set) var rights: Int64 = 0
    /// The custom roles.
    package internal(set) var roles: [String] = []
    var types: [String: RecordTypeSchema] = [:]
    var names: [RecordTypeID: String] = [:]
    var layouts: [RecordTypeID: RecordLayout] = [:]
    var rolesOfUsers: [String: Set<String>] = [:]

    /// Returns the type called `name`, unless it is hidden.
    package func type(_ name: String) -> RecordTypeSchema? {
        types[name].flatMap { $0.isHidden ? nil : $0 }
    }

    /// Returns the type with the given id, even if it is hidden.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? { names[id].flatMap { types[$0] } }

    /// Returns the layout of the records of the type with the given id, even if it is hidden.
    package func layout(_ id: RecordTypeID) -> RecordLayout? { layouts[id] }

    /// All types, including hidden ones, keyed by name.
    package var allTypes: [String: RecordTypeSchema] { types }

    /// Returns the custom roles of a user.
    package func roles(of user: String) -> Set<String> { rolesOfUsers[user] ?? [] }

    /// The custom roles, each with its members. Roles and members are sorted.
    package var members: [(role: String, users: [String])] {
        roles.map { role in (role, rolesOfUsers.filter { $0.value.contains(role) }.keys.sorted()) }
    }

    /// The schema as a definition. The types of user records and of shares are included only if they were changed.
    package var definition: SchemaDefinition {
        SchemaDefinition(
            roles: roles,
            recordTypes: types.values.filter { !$0.isHidden }.map(\.definition).filter { $0 != .users && $0 != .share })
    }

    /// The number of types and fields. Of two reads that return the same version, the read with the larger number is
    /// the later one.
    var fieldCount: Int { types.values.reduce(types.count) { $0 + $1.fields.count } }

    /// Returns whether the schema lacks a type in `ids`, or a type or field that `records` use.
    func lacks(_ ids: Set<RecordTypeID>, _ records: [StoredRecord]) -> Bool {
        guard ids.allSatisfy({ layouts[$0] != nil }) else { return true }
        return records.contains { record in
            guard let layout = layouts[record.type] else { return true }
            return record.fields.map { !$0.areAll(in: layout.fields) } ?? false
        }
    }

    /// Creates the schema of an environment that does not exist yet.
    package init() {}
}

extension RecordTypeDefinition {
    /// The initial definition of the type of user records. Every environment has this type (semantics 1.4).
    package static let users = RecordTypeDefinition(
        name: "Users",
        grants: [
            GrantDefinition(role: SystemRole.creator.rawValue, permissions: .write),
            GrantDefinition(role: SystemRole.world.rawValue, permissions: .read),
        ])

    /// The initial definition of the type of shares. Every environment has this type (semantics 11.2).
    package static let share = RecordTypeDefinition(
        name: RecordTypeName.share.rawValue,
        fields: [
            FieldDefinition(name: "cloudkit.thumbnailImageData", type: .bytes),
            FieldDefinition(name: "cloudkit.title", type: .string),
            FieldDefinition(name: "cloudkit.type", type: .string),
        ])
}
