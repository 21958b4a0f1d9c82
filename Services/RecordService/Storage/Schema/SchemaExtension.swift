internal import CloudKitModel
internal import CloudKitSchema
internal import PostgresClient

/// Extends a schema with the types and fields that a save in development needs (semantics 3.1). New types get the
/// grants of inferred types (``GrantDefinition/ofInferredTypes``), and new fields get every index that their type
/// allows.
struct SchemaExtension {
    private let environment: EnvironmentRow
    private let types: [String]
    private let fields: [(type: String, name: String, fieldType: FieldType)]

    init(_ additions: [SchemaAddition], in environment: EnvironmentRow) {
        self.environment = environment
        types = Set(additions.map(\.recordType)).sorted()
        fields = additions.flatMap { addition in
            addition.fields.map { (type: addition.recordType, name: $0.key, fieldType: $0.value) }
        }.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }

    /// The statements that add missing types and fields. The first save of a field determines its type. Each caller
    /// checks its own values against the schema that is read afterwards.
    var statements: [PostgresCall] {
        [
            SchemaLock.shared(environment), SchemaLock.extending(environment),
            PostgresCall(
                PostgresStatement(
                    """
                    with made as (
                        insert into record.record_type (environment, name, watched_at)
                        select $1, k.name, \(SchemaTable.watchedAt) from unnest($2::text[]) as k(name)
                        on conflict do nothing returning id)
                    insert into record.type_grant (record_type, role, permissions)
                    select made.id, g.role, g.permissions
                    from made cross join unnest($3::text[], $4::int2[]) as g(role, permissions)
                    """), [.int4(environment.rawValue), .textArray(types)] + Self.grants),
            PostgresCall(
                """
                insert into record.field (record_type, name, type, indexes)
                select t.id, f.name, f.type, f.indexes
                from unnest($2::text[], $3::text[], $4::int2[], $5::int2[]) as f(type_name, name, type, indexes)
                join record.record_type t on t.environment = $1 and t.name = f.type_name
                on conflict do nothing
                """, [.int4(environment.rawValue)] + columns(of: fields)),
            // The last statement checks whether any of the types or fields is hidden.
            PostgresCall(
                """
                select exists (
                    select from record.record_type t
                    where t.environment = $1 and t.name = any($2) and t.dropped_at is not null)
                or exists (
                    select from unnest($3::text[], $4::text[]) as f(type_name, name)
                    join record.record_type t on t.environment = $1 and t.name = f.type_name
                    join record.field h on h.record_type = t.id and h.name = f.name and h.dropped_at is not null)
                """,
                [
                    .int4(environment.rawValue), .textArray(types), .textArray(fields.map(\.type)),
                    .textArray(fields.map(\.name)),
                ]),
        ]
    }

    /// Returns whether any of the types or fields in ``statements`` already exists but is hidden, because an import
    /// omitted it.
    func meetsHidden(_ results: some BidirectionalCollection<PostgresResult>) -> Bool {
        results.last?.first?.bool(0) == true
    }

    /// Makes hidden types and fields visible again. A field that has the same type as before gets its old values back.
    /// If the type differs, the old values are deleted first.
    ///
    /// - Throws: `PostgresError`.
    func bringBack(on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([
            .begin, LockTimeouts.shorten(to: LockTimeouts.worker), SchemaLock.exclusive(environment),
        ])
        let read = try await connection.pipeline([EnvironmentSchema.read(environment)])
        let before = EnvironmentSchema(read[0]) ?? EnvironmentSchema()
        let present = before.allTypes
        let hiddenTypes = types.compactMap { present[$0] }.filter(\.isHidden)
        let hiddenFields = fields.filter { present[$0.type]?.hiddenFields[$0.name] != nil }
        let retyped = hiddenFields.compactMap { field -> FieldValues.Place? in
            guard let type = present[field.type], type.hiddenFields[field.name] != field.fieldType else { return nil }
            return FieldValues.Place(type: type.id, field: field.name)
        }
        let results = try await connection.pipeline(
            FieldValues.remove(retyped, in: environment) + [
                PostgresCall(
                    "update record.record_type set dropped_at = null where id = any($1)",
                    [.int4Array(hiddenTypes.map(\.id.rawValue))]),
                PostgresCall(
                    """
                    insert into record.type_grant (record_type, role, permissions)
                    select t.id, g.role, g.permissions
                    from unnest($1::int4[]) as t(id) cross join unnest($2::text[], $3::int2[]) as g(role, permissions)
                    on conflict do nothing
                    """, [.int4Array(hiddenTypes.map(\.id.rawValue))] + Self.grants),
                PostgresCall(
                    """
                    update record.field h set type = f.type, indexes = f.indexes, dropped_at = null
                    from unnest($2::text[], $3::text[], $4::int2[], $5::int2[]) as f(type_name, name, type, indexes)
                    join record.record_type t on t.environment = $1 and t.name = f.type_name
                    where h.record_type = t.id and h.name = f.name
                    """, [.int4(environment.rawValue)] + columns(of: hiddenFields)),
                EnvironmentTable.raiseVersion(environment), EnvironmentSchema.read(environment),
            ])
        if let schema = results.last.flatMap({ EnvironmentSchema($0) }) {
            try await IndexTable(environment).keep(indexesOf: schema, since: before, on: connection)
        }
        _ = try await connection.pipeline([.commit])
    }

    private static let grants: [PostgresParameter] = [
        .textArray(GrantDefinition.ofInferredTypes.map(\.role)),
        .int2Array(GrantDefinition.ofInferredTypes.map(\.permissions.rawValue)),
    ]

    private func columns(of fields: [(type: String, name: String, fieldType: FieldType)]) -> [PostgresParameter] {
        [
            .textArray(fields.map(\.type)), .textArray(fields.map(\.name)),
            .int2Array(fields.map(\.fieldType.storageCode)),
            .int2Array(fields.map(\.fieldType.possibleIndexes.rawValue)),
        ]
    }
}
