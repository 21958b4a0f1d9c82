internal import CloudKitModel
internal import CloudKitSchema
package import PostgresClient

/// The SQL statements for `record.field_index`, which lists the indexes that the record table of each environment
/// should have.
///
/// In production, the indexes that a schema declares are built when the schema is deployed
/// (``want(indexesOf:since:on:)``). In development, an index is built when a query could first use it
/// (``demand(_:on:)``), and it is kept as long as the schema declares it (``keep(indexesOf:since:on:)``). An index is
/// dropped or rebuilt only together with a new version of the schema.
package struct IndexTable: Sendable {
    let environment: EnvironmentRow

    /// Creates the statements for the indexes of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Returns the name of an index.
    package func name(_ id: Int32) -> String { "record_\(environment.rawValue)_index_\(id)" }

    /// Starts a job that builds the indexes declared by `schema` and drops all others. Runs in the transaction of
    /// `connection`. The transaction must hold the lock ``SchemaLock/exclusive(_:)`` and increment the schema's
    /// version.
    ///
    /// - Parameter before: the previous schema.
    /// - Throws: `PostgresError`.
    package func want(
        indexesOf schema: EnvironmentSchema, since before: EnvironmentSchema, on connection: PostgresConnection
    ) async throws {
        let wanted = schema.declaredIndexes
        let present = try await present(on: connection)
        let surplus = present.filter { $0.index.flatMap { wanted[$0.key]?.definition != $0.definition } ?? true }
        _ = try await connection.pipeline([
            drop(surplus.map(\.id)), refill(schema.typesSearchedOtherwise(than: before)),
            insert(
                Array(wanted.values), onConflict: "do update set kinds = excluded.kinds"),
            makeJob,
        ])
    }

    /// Starts a job that drops the indexes whose record type, field or kind no longer exists in `schema`. The
    /// requirements are those of ``want(indexesOf:since:on:)``, but no index is added. An index on a system field is
    /// kept as long as its record type exists, because every record type has the system fields.
    ///
    /// - Throws: `PostgresError`.
    package func keep(
        indexesOf schema: EnvironmentSchema, since before: EnvironmentSchema, on connection: PostgresConnection
    ) async throws {
        let present = try await present(on: connection)
        guard !present.isEmpty else { return }
        let declared = schema.declaredIndexes
        let surplus = present.filter { $0.index.map { !schema.mayHave($0) } ?? true }
        let dropped = Set(surplus.map(\.id))
        let kept = present.compactMap { row in
            row.index.flatMap { dropped.contains(row.id) ? nil : declared[$0.key] }.map { (row.id, $0.kinds) }
        }
        _ = try await connection.pipeline([
            drop(surplus.map(\.id)), refill(schema.typesSearchedOtherwise(than: before)),
            PostgresCall(
                """
                update record.field_index i set kinds = k.kinds from unnest($1::int4[], $2::int2[]) as k(id, kinds)
                where i.id = k.id and i.kinds <> k.kinds
                """, [.int4Array(kept.map(\.0)), .int2Array(kept.map(\.1.rawValue))]),
            makeJob,
        ])
    }

    /// Starts a job to build indexes that a query could use, unless they exist or have already been requested. This
    /// method is for development, where no indexes are built in advance. Indexes that the schema no longer declares are
    /// left out. Takes one round trip if nothing is new.
    ///
    /// A request for a word index waits for the transactions that are writing to the environment, because every later
    /// writer must add words to the records that it saves. Do not call this method while one of the caller's
    /// transactions holds the schema's lock.
    ///
    /// - Throws: `PostgresError`, for example if the environment is gone (``PostgresError/isOfDeletedContainer``).
    package func demand(_ indexes: [FieldIndex], on pool: PostgresPool) async throws {
        try await pool.withConnection { connection in
            let present = Set(try await present(on: connection).compactMap(\.index?.key))
            let missing = indexes.filter { !present.contains($0.key) }
            guard !missing.isEmpty else { return }
            let hasWords = missing.contains { $0.key.method == .words }
            let lock = hasWords ? SchemaLock.exclusive(environment) : SchemaLock.shared(environment)
            let results = try await connection.pipeline([.begin, lock, EnvironmentSchema.read(environment)])
            guard let schema = EnvironmentSchema(results[2]) else { throw PostgresError.environmentGone }
            let made = try await connection.pipeline([
                insert(missing.filter(schema.mayHave), onConflict: "do nothing"), makeJob,
            ])
            let newWords = made[0].contains { $0.string(0) == FieldIndex.Method.words.rawValue }
            let raise = newWords ? [EnvironmentTable.raiseVersion(environment, changesRights: false)] : []
            _ = try await connection.pipeline(raise + [.commit])
        }
    }

    /// Returns all rows except those for indexes to be dropped. The index is nil if this release does not know its
    /// method or its field's type.
    private func present(on connection: PostgresConnection) async throws -> [(id: Int32, index: FieldIndex?)] {
        try await connection.query(
            """
            select id, record_type, field, method, type, kinds from record.field_index
            where environment = $1 and state <> 'dropped'
            """,
            [.int4(environment.rawValue)]
        ).map { row in
            guard let method = FieldIndex.Method(rawValue: row.string(3)),
                let type = FieldType(storageCode: row.int16(4))
            else { return (row.int32(0), nil) }
            let key = FieldIndex.Key(recordType: RecordTypeID(row.int32(1)), field: row.string(2), method: method)
            return (row.int32(0), FieldIndex(key: key, type: type, kinds: FieldIndexes(rawValue: row.int16(5))))
        }
    }

    private func drop(_ ids: [Int32]) -> PostgresCall {
        PostgresCall(
            "update record.field_index set state = 'dropped', due_at = now() where id = any($1)", [.int4Array(ids)])
    }

    /// Starts rebuilding the words of all records of `types`, because the set of searched fields has changed. The index
    /// is not used until this is done.
    private func refill(_ types: [RecordTypeID]) -> PostgresCall {
        PostgresCall(
            """
            update record.field_index set state = 'waiting', due_at = now(), attempts = 0, last_error = null,
                ready_at = null, filled_zone = null, filled_name = null
            where environment = $1 and record_type = any($2) and method = 'words' and state <> 'dropped'
            """, [.int4(environment.rawValue), .int4Array(types.map(\.rawValue))])
    }

    /// Inserts rows in a fixed order. The result has one column: the methods of the rows that were inserted or updated.
    private func insert(_ indexes: [FieldIndex], onConflict action: String) -> PostgresCall {
        let sorted = indexes.sorted {
            ($0.key.recordType.rawValue, $0.key.field, $0.key.method.rawValue)
                < ($1.key.recordType.rawValue, $1.key.field, $1.key.method.rawValue)
        }
        return PostgresCall(
            PostgresStatement(
                """
                insert into record.field_index (environment, record_type, field, type, method, kinds)
                select $1, * from unnest($2::int4[], $3::text[], $4::int2[], $5::text[], $6::int2[])
                on conflict (environment, record_type, field, method) where state <> 'dropped' \(action)
                returning method
                """),
            [
                .int4(environment.rawValue), .int4Array(sorted.map(\.key.recordType.rawValue)),
                .textArray(sorted.map(\.key.field)), .int2Array(sorted.map(\.type.storageCode)),
                .textArray(sorted.map(\.key.method.rawValue)), .int2Array(sorted.map(\.kinds.rawValue)),
            ])
    }

    private var makeJob: PostgresCall {
        PostgresCall(
            """
            insert into record.job (kind, arguments)
            select 'index.build', jsonb_build_object('environment', $1::int4)
            where exists (select from record.field_index
                where environment = $1 and state <> 'ready' and due_at < 'infinity')
            on conflict ((arguments->>'environment')) where kind = 'index.build' do update set due_at = now()
            """, [.int4(environment.rawValue)])
    }

    /// Reads the indexes that queries can use. The columns are the record type, the field and the method.
    package static func ready(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select record_type, field, method from record.field_index where environment = $1 and state = 'ready'",
            [.int4(environment.rawValue)])
    }
}

extension EnvironmentSchema {
    /// The indexes declared for the fields of all visible types.
    fileprivate var declaredIndexes: [FieldIndex.Key: FieldIndex] {
        var declared: [FieldIndex.Key: FieldIndex] = [:]
        for type in allTypes.values where !type.isHidden {
            for index in type.declaredIndexes { declared[index.key] = index }
        }
        return declared
    }

    /// Returns whether `index` is allowed to exist in development. The index must be declared or be on a system field.
    fileprivate func mayHave(_ index: FieldIndex) -> Bool {
        guard let type = type(index.key.recordType), !type.isHidden else { return false }
        if let system = SystemField(rawValue: index.key.field) {
            return index.key.method == .value && index.type == system.type
        }
        return type.declaredIndexes.contains { $0.key == index.key && $0.definition == index.definition }
    }

    /// Returns the types whose searchable fields differ from the searchable fields in `before`.
    fileprivate func typesSearchedOtherwise(than before: EnvironmentSchema) -> [RecordTypeID] {
        allTypes.values.filter { before.type($0.id)?.searchableFields ?? [:] != $0.searchableFields }.map(\.id)
    }
}

extension RecordTypeSchema {
    /// The indexes declared for the type's fields, including its system fields.
    fileprivate var declaredIndexes: [FieldIndex] {
        indexes.flatMap { name, kinds in
            (SystemField(rawValue: name)?.type ?? fields[name]).map {
                FieldIndex.wanted(name, $0, kinds, of: id)
            } ?? []
        }
    }
}
