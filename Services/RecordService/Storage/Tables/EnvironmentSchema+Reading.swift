internal import CloudKitModel
internal import CloudKitSchema
package import PostgresClient

extension EnvironmentSchema {
    private enum Kind: Int16 {
        case version, role, type, field, grant, member, words, rights
    }

    /// Reads the whole schema in one statement, so that its parts are consistent; ``init(_:)`` decodes it.
    package static func read(_ environment: EnvironmentRow) -> PostgresCall {
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

    /// Decodes the rows of ``read(_:)``; nil if the environment no longer exists.
    package init?(_ result: PostgresResult) {
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
