internal import CloudKitModel
internal import CloudKitSchema
package import PostgresClient

/// Which indexes an environment's table is to have: the statements over `record.field_index`.
package struct IndexTable: Sendable {
    /// What is built only when queries can ask for it.
    private static let notBuiltYet = "built with the queries that ask for it"

    private let environment: EnvironmentRow

    /// The indexes of that environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// The name of an index.
    package func name(_ id: Int32) -> String { "record_\(environment.rawValue)_index_\(id)" }

    /// Has the indexes built that `schema` declares, and the others dropped, by a job: in the transaction of
    /// `connection`, which holds ``SchemaLock/exclusive(_:)``.
    ///
    /// - Throws: `PostgresError`.
    package func want(indexesOf schema: EnvironmentSchema, on connection: PostgresConnection) async throws {
        let wanted = schema.allTypes.values.filter { !$0.isHidden }.flatMap { type in
            type.indexes.flatMap { name, kinds in
                (SystemField(rawValue: name)?.type ?? type.fields[name]).map {
                    FieldIndex.wanted(name, $0, kinds, of: type.id)
                } ?? []
            }
        }
        let present = try await connection.query(
            "select id, record_type, field, method from record.field_index where environment = $1 and state <> 'dropped'",
            [.int4(environment.rawValue)])
        let keys = Set(wanted.map(\.key))
        let surplus = present.filter { row in
            guard let method = FieldIndex.Method(rawValue: row.string(3)) else { return true }
            let key = FieldIndex.Key(
                recordType: RecordTypeID(row.int32(1)), field: row.string(2), method: method)
            return !keys.contains(key)
        }
        _ = try await connection.pipeline([
            PostgresCall(
                "update record.field_index set state = 'dropped', due_at = now() where id = any($1)",
                [.int4Array(surplus.map { $0.int32(0) })]),
            PostgresCall(
                """
                insert into record.field_index (environment, record_type, field, type, method, kinds, due_at, last_error)
                select $1, i.record_type, i.field, i.type, i.method, i.kinds,
                    case when i.buildable then now() else 'infinity' end, case when not i.buildable then $8 end
                from unnest($2::int4[], $3::text[], $4::int2[], $5::text[], $6::int2[], $7::bool[])
                    as i(record_type, field, type, method, kinds, buildable)
                on conflict (environment, record_type, field, method) where state <> 'dropped'
                do update set kinds = excluded.kinds
                """,
                [
                    .int4(environment.rawValue), .int4Array(wanted.map(\.key.recordType.rawValue)),
                    .textArray(wanted.map(\.key.field)), .int2Array(wanted.map(\.type.storageCode)),
                    .textArray(wanted.map(\.key.method.rawValue)), .int2Array(wanted.map(\.kinds.rawValue)),
                    .boolArray(wanted.map { $0.definition != nil }), .text(Self.notBuiltYet),
                ]),
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                select 'index.build', jsonb_build_object('environment', $1::int4)
                where exists (select from record.field_index
                    where environment = $1 and state <> 'ready' and due_at < 'infinity')
                on conflict ((arguments->>'environment')) where kind = 'index.build' do update set due_at = now()
                """, [.int4(environment.rawValue)]),
        ])
    }

    /// The index to be worked at next, those to be dropped first: id, state, record type, field, type, method.
    static func next(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select id, state, record_type, field, type, method from record.field_index
            where environment = $1 and state <> 'ready' and due_at <= now()
            order by state <> 'dropped', due_at, id limit 1
            """, [.int4(environment.rawValue)])
    }

    /// How far the indexes are: record type, field, kinds, name, state, progress, bytes, scans, last error.
    static func status(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select t.name, i.field, i.kinds, n.name, i.state,
                case when i.state = 'ready' then 1
                    when i.state = 'building' then coalesce(
                        greatest(p.blocks_done::float8 / nullif(p.blocks_total, 0),
                            p.tuples_done::float8 / nullif(p.tuples_total, 0)), 0)
                    else 0 end,
                coalesce(pg_relation_size(to_regclass('record.' || n.name)), 0), coalesce(s.idx_scan, 0), i.last_error
            from record.field_index i join record.record_type t on t.id = i.record_type
            cross join lateral (select 'record_' || i.environment || '_index_' || i.id) as n(name)
            left join pg_stat_progress_create_index p on p.index_relid = to_regclass('record.' || n.name)
            left join pg_stat_user_indexes s on s.indexrelid = to_regclass('record.' || n.name)
            where i.environment = $1 and i.state <> 'dropped' order by t.name, i.field, i.method
            """, [.int4(environment.rawValue)])
    }
}
