internal import CloudKitModel
package import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient

/// The schema of one environment as one statement found it.
package struct EnvironmentSchema: Sendable {
    /// Types, fields and grants that are taken away or changed make another version, and so does an index over words that
    /// comes or goes, or a type that is watched from then on; what is learnt does not.
    package private(set) var version: Int64 = 0
    /// Another, larger number whenever types, fields, grants or roles were taken away or changed, or the environment was
    /// reset: whoever relies on what a user may see asks again.
    package private(set) var rights: Int64 = 0
    /// The roles that were made.
    package private(set) var roles: [String] = []
    private var types: [String: RecordTypeSchema] = [:]
    private var names: [RecordTypeID: String] = [:]
    private var layouts: [RecordTypeID: RecordLayout] = [:]
    private var rolesOfUsers: [String: Set<String>] = [:]

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

    private enum Kind: Int16 {
        case version, role, type, field, grant, member, words, rights
    }

    /// Reads everything in one statement, so that it belongs together.
    static func read(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select 0::int2, schema_version, '', 0::int2, 0::int2, false, '' from record.environment where id = $1
            union all
            select 1::int2, 0, name, 0::int2, 0::int2, false, '' from record.role where environment = $1
            union all
            select 2::int2, id, name, (watched_at is not null)::int4::int2, 0::int2, dropped_at is not null, ''
            from record.record_type where environment = $1
            union all
            select 3::int2, t.id, f.name, f.type, f.indexes, f.dropped_at is not null, t.name
            from record.record_type t join record.field f on f.record_type = t.id where t.environment = $1
            union all
            select 4::int2, t.id, g.role, g.permissions, 0::int2, false, t.name
            from record.record_type t join record.type_grant g on g.record_type = t.id where t.environment = $1
            union all
            select 5::int2, 0, role, 0::int2, 0::int2, false, user_name from record.role_member where environment = $1
            union all
            select 6::int2, t.id, '', 0::int2, 0::int2, false, t.name
            from record.field_index i join record.record_type t on t.id = i.record_type
            where i.environment = $1 and i.method = 'words' and i.state <> 'dropped'
            union all
            select 7::int2, rights, '', 0::int2, 0::int2, false, '' from record.environment where id = $1
            order by 1
            """, [.int4(environment.rawValue)])
    }

    /// The schema of an environment that is yet to be made.
    init() {}

    /// What ``read(_:)`` found; nil: there is no such environment any more.
    init?(_ result: PostgresResult) {
        var watched: [String] = []
        for row in result {
            let (number, name, owner) = (row.int64(1), row.string(2), row.string(6))
            switch Kind(rawValue: row.int16(0)) {
            case .version: version = number
            case .role: roles.append(name)
            case .type:
                let id = RecordTypeID(Int32(truncatingIfNeeded: number))
                names[id] = name
                types[name] = RecordTypeSchema(id: id, name: name)
                types[name]?.isHidden = row.bool(5)
                if row.int16(3) == 1 { watched.append(name) }
            case .field:
                guard let type = FieldType(storageCode: row.int16(3)) else { continue }
                types[owner]?.add(
                    name, type, indexes: FieldIndexes(rawValue: row.int16(4)), isHidden: row.bool(5))
            case .grant: types[owner]?.grants[name] = Permissions(rawValue: row.int16(3))
            case .member: rolesOfUsers[owner, default: []].insert(name)
            case .words: types[owner]?.hasWords = true
            case .rights: rights = number
            case nil: continue
            }
        }
        if version == 0 { return nil }
        roles.sort()
        for name in watched { types[name]?.watch() }
        layouts = names.compactMapValues { types[$0].map { RecordLayout($0) } }
    }
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

/// The schemas of the environments that a piece of work is about, unchanging while it goes on.
package struct SchemaSnapshot: Sendable {
    /// By environment.
    package var environments: [EnvironmentRow: EnvironmentSchema]

    /// A snapshot of those environments.
    package init(environments: [EnvironmentRow: EnvironmentSchema] = [:]) { self.environments = environments }

    /// The type of that name, unless it is hidden.
    package func type(_ name: String, in environment: EnvironmentRow) -> RecordTypeSchema? {
        environments[environment]?.type(name)
    }

    /// The type with that id, hidden ones too.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? {
        for environment in environments.values {
            if let type = environment.type(id) { return type }
        }
        return nil
    }

    /// By what the records of the type with that id are read, hidden types too.
    package func layout(_ id: RecordTypeID) -> RecordLayout? {
        for environment in environments.values {
            if let layout = environment.layout(id) { return layout }
        }
        return nil
    }

    /// The custom roles of a user.
    package func roles(of user: String, in environment: EnvironmentRow) -> Set<String> {
        environments[environment]?.roles(of: user) ?? []
    }
}
