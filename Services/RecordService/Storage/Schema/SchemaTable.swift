internal import CloudKitModel
package import CloudKitSchema
package import PostgresClient

/// Replaces an environment's schema with a definition, in a transaction that holds the lock
/// ``SchemaLock/exclusive(_:)``.
///
/// Types and fields that the definition omits are hidden, together with their values. The caller decides whether that
/// is allowed.
package struct SchemaTable: Sendable {
    private let environment: EnvironmentRow

    /// Creates the statements for the schema of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Marks types as watched, so that changes to their records are logged with values from now on, and increments the
    /// schema's version. The transaction must hold the lock ``SchemaLock/exclusive(_:)``.
    package static func watch(_ types: [RecordTypeID], in environment: EnvironmentRow) -> [PostgresCall] {
        [
            PostgresCall(
                """
                update record.record_type set watched_at = now()
                where environment = $1 and id = any($2) and watched_at is null
                """, [.int4(environment.rawValue), .int4Array(types.map(\.rawValue))]),
            PostgresCall(
                """
                insert into record.watched_type (container, environment, record_type)
                select e.container, e.name, t.name from record.record_type t
                join record.environment e on e.id = t.environment
                where t.environment = $1 and t.id = any($2) on conflict do nothing
                """, [.int4(environment.rawValue), .int4Array(types.map(\.rawValue))]),
            EnvironmentTable.raiseVersion(environment, changesRights: false),
        ]
    }

    /// Replaces the schema. Takes one round trip.
    ///
    /// - Parameter present: the current schema.
    /// - Returns: the new version.
    /// - Throws: `PostgresError`.
    package func replace(
        _ present: EnvironmentSchema, with definition: SchemaDefinition, on connection: PostgresConnection
    ) async throws -> Int64 {
        // The types for user records and for shares always exist.
        var wanted = definition.recordTypes
        for system in [RecordTypeDefinition.users, .share] where !wanted.contains(where: { $0.name == system.name }) {
            wanted.append(system)
        }
        let results = try await connection.pipeline(
            FieldValues.remove(retyped(present, wanted), in: environment) + hide(present, wanted)
                + [types(wanted), fields(wanted), dropGrants, grants(wanted), dropRoles(definition.roles)]
                + [roles(definition.roles), EnvironmentTable.raiseVersion(environment)])
        return results.last?.first?.int64(0) ?? 0
    }

    private func retyped(_ present: EnvironmentSchema, _ wanted: [RecordTypeDefinition]) -> [FieldValues.Place] {
        wanted.flatMap { definition -> [FieldValues.Place] in
            guard let type = present.allTypes[definition.name] else { return [] }
            return definition.fields.compactMap { field in
                guard let stored = type.storedType(of: field.name), !stored.stores(like: field.type) else { return nil }
                return FieldValues.Place(type: type.id, field: field.name)
            }
        }
    }

    private func hide(_ present: EnvironmentSchema, _ wanted: [RecordTypeDefinition]) -> [PostgresCall] {
        let definitions = Dictionary(wanted.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var hidden: [FieldValues.Place] = []
        for type in present.allTypes.values {
            let kept = Set(definitions[type.name]?.fields.map(\.name) ?? [])
            hidden += type.fields.keys.filter { !kept.contains($0) }
                .map { FieldValues.Place(type: type.id, field: $0) }
        }
        let gone = present.allTypes.values.filter { definitions[$0.name] == nil && !$0.isHidden }
        return [
            PostgresCall(
                "update record.record_type set dropped_at = now() where id = any($1)",
                [.int4Array(gone.map(\.id.rawValue))]),
            PostgresCall(
                """
                update record.field f set dropped_at = now() from unnest($1::int4[], $2::text[]) as h(type, name)
                where f.record_type = h.type and f.name = h.name
                """, [.int4Array(hidden.map(\.type.rawValue)), .textArray(hidden.map(\.field))]),
            // A system field has a row only for its indexes.
            PostgresCall(
                """
                delete from record.field f using record.record_type t
                where t.environment = $1 and f.record_type = t.id and f.name like '\\_\\_\\_%'
                """, [.int4(environment.rawValue)]),
        ]
    }

    /// The SQL expression for `watched_at` of a new type called `k.name` in the environment `$1`: the current time if a
    /// type with that name was watched before a reset, otherwise null.
    static let watchedAt = """
        (select now() from record.environment e
            join record.watched_type w on w.container = e.container and w.environment = e.name
            where e.id = $1 and w.record_type = k.name)
        """

    private func types(_ wanted: [RecordTypeDefinition]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                insert into record.record_type (environment, name, watched_at)
                select $1, k.name, \(Self.watchedAt) from unnest($2::text[]) as k(name)
                on conflict (environment, name) do update set dropped_at = null
                """), [.int4(environment.rawValue), .textArray(wanted.map(\.name))])
    }

    private func fields(_ wanted: [RecordTypeDefinition]) -> PostgresCall {
        let fields = wanted.flatMap { type in
            type.fields.filter { !$0.isSystem || !$0.indexes.isEmpty }.map { (type: type.name, field: $0) }
        }
        return PostgresCall(
            """
            insert into record.field (record_type, name, type, indexes)
            select t.id, f.name, f.type, f.indexes
            from unnest($2::text[], $3::text[], $4::int2[], $5::int2[]) as f(type_name, name, type, indexes)
            join record.record_type t on t.environment = $1 and t.name = f.type_name
            on conflict (record_type, name) do update
                set type = excluded.type, indexes = excluded.indexes, dropped_at = null
            """,
            [
                .int4(environment.rawValue), .textArray(fields.map(\.type)), .textArray(fields.map(\.field.name)),
                .int2Array(fields.map(\.field.type.storageCode)), .int2Array(fields.map(\.field.indexes.rawValue)),
            ])
    }

    private var dropGrants: PostgresCall {
        PostgresCall(
            """
            delete from record.type_grant g using record.record_type t
            where t.environment = $1 and g.record_type = t.id
            """, [.int4(environment.rawValue)])
    }

    private func grants(_ wanted: [RecordTypeDefinition]) -> PostgresCall {
        let grants = wanted.flatMap { type in type.grants.map { (type: type.name, grant: $0) } }
        return PostgresCall(
            """
            insert into record.type_grant (record_type, role, permissions)
            select t.id, g.role, g.permissions
            from unnest($2::text[], $3::text[], $4::int2[]) as g(type_name, role, permissions)
            join record.record_type t on t.environment = $1 and t.name = g.type_name
            """,
            [
                .int4(environment.rawValue), .textArray(grants.map(\.type)), .textArray(grants.map(\.grant.role)),
                .int2Array(grants.map(\.grant.permissions.rawValue)),
            ])
    }

    private func dropRoles(_ kept: [String]) -> PostgresCall {
        PostgresCall(
            "delete from record.role where environment = $1 and name <> all($2)",
            [.int4(environment.rawValue), .textArray(kept)])
    }

    private func roles(_ roles: [String]) -> PostgresCall {
        PostgresCall(
            "insert into record.role (environment, name) select $1, unnest($2::text[]) on conflict do nothing",
            [.int4(environment.rawValue), .textArray(roles)])
    }
}

extension FieldType {
    /// Returns whether values of this type and of `other` are stored in the same form.
    fileprivate func stores(like other: FieldType) -> Bool {
        base == other.base && isList == other.isList && isEncrypted == other.isEncrypted
    }
}
