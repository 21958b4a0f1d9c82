package import CloudKitModel
internal import CloudKitWire
package import PostgresClient
internal import Synchronization

/// A record type with its fields, as far as they are known.
package struct RecordTypeSchema: Sendable {
    /// The row.
    package let id: RecordTypeID
    /// The type's name.
    package let name: String
    /// The type of each field: fixed by its first value, for all records (semantics 3.1).
    package private(set) var fields: [String: FieldType] = [:]
    /// The fields that hold assets, in order: most types have none, and their records cost nothing on this account.
    package private(set) var assetFields: [String] = []

    /// The fields that hold references, in order.
    package private(set) var referenceFields: [String] = []

    /// A type with those fields.
    package init(id: RecordTypeID, name: String, fields: [String: FieldType]) {
        self.id = id
        self.name = name
        for (name, type) in fields { learn(name, type) }
    }

    /// Adds a field. It is never re-typed.
    mutating func learn(_ field: String, _ type: FieldType) {
        guard fields.updateValue(type, forKey: field) == nil else { return }
        switch type.base {
        case .asset: assetFields = (assetFields + [field]).sorted()
        case .reference: referenceFields = (referenceFields + [field]).sorted()
        default: break
        }
    }
}

/// What a save needs that the schema does not have yet.
package struct SchemaAddition: Sendable, Equatable {
    /// The record type, made when it is not there.
    package var recordType: String
    /// Its new fields.
    package var fields: [String: FieldType]
}

/// The schema of every environment in use, remembered. Types are never re-typed, so what is remembered is right; what
/// is not remembered may have been learnt by another instance and is read first.
package final class SchemaStore: Sendable {
    private struct TypeKey: Hashable {
        var environment: EnvironmentRow
        var name: String
    }

    private struct Memory {
        var byName: [TypeKey: RecordTypeSchema] = [:]
        var names: [RecordTypeID: TypeKey] = [:]
    }

    private let pool: PostgresPool
    private let memory = Mutex(Memory())

    /// A store over `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// The remembered type of that name.
    package func type(_ name: String, in environment: EnvironmentRow) -> RecordTypeSchema? {
        memory.withLock { $0.byName[TypeKey(environment: environment, name: name)] }
    }

    /// The remembered type with that id.
    package func type(_ id: RecordTypeID) -> RecordTypeSchema? {
        memory.withLock { memory in memory.names[id].flatMap { memory.byName[$0] } }
    }

    /// Learns types and fields in a short transaction of its own, under an advisory lock per environment. Whoever
    /// came first fixed a field's type; the caller checks its values against what is remembered afterwards.
    ///
    /// - Throws: `PostgresError`.
    package func learn(_ additions: [SchemaAddition], in environment: EnvironmentRow) async throws {
        let names = Set(additions.map(\.recordType)).sorted()
        let fields = additions.flatMap { addition in
            addition.fields.map { (type: addition.recordType, name: $0.key, code: $0.value.storageCode) }
        }.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
        try await pool.withTransaction { connection in
            _ = try await connection.pipeline([
                PostgresCall(
                    "select pg_advisory_xact_lock(hashtext('zonda schema'), $1)", [.int4(environment.rawValue)]),
                PostgresCall(
                    """
                    insert into record.record_type (environment, name) select $1, unnest($2::text[])
                    on conflict do nothing
                    """, [.int4(environment.rawValue), .textArray(names)]),
                PostgresCall(
                    """
                    insert into record.field (record_type, name, type)
                    select t.id, f.name, f.type
                    from unnest($2::text[], $3::text[], $4::int2[]) as f(type_name, name, type)
                    join record.record_type t on t.environment = $1 and t.name = f.type_name
                    on conflict do nothing
                    """,
                    [
                        .int4(environment.rawValue), .textArray(fields.map(\.type)), .textArray(fields.map(\.name)),
                        .int2Array(fields.map(\.code)),
                    ]),
            ])
        }
        try await pool.withConnection { connection in
            try await load(
                where: "t.environment = $1 and t.name = any($2)",
                [.int4(environment.rawValue), .textArray(names)], on: connection)
        }
    }

    /// Makes sure that the types of `records`, all their fields, and `types` are remembered: another instance may have
    /// learnt them. Asks the database only for what is missing.
    package func know(
        _ types: Set<RecordTypeID> = [], records: [StoredRecord], on connection: PostgresConnection
    ) async throws {
        let missing = missing(types, records)
        guard !missing.isEmpty else { return }
        try await load(where: "t.id = any($1)", [.int4Array(missing.map(\.rawValue))], on: connection)
    }

    /// As ``know(_:records:on:)``, with a connection of the pool when one is needed.
    package func know(records: [StoredRecord]) async throws {
        guard !missing([], records).isEmpty else { return }
        try await pool.withConnection { try await know(records: records, on: $0) }
    }

    private func missing(_ types: Set<RecordTypeID>, _ records: [StoredRecord]) -> Set<RecordTypeID> {
        memory.withLock { memory in
            var missing = types.filter { memory.names[$0] == nil }
            for record in records {
                guard let type = memory.names[record.type].flatMap({ memory.byName[$0] }) else {
                    missing.insert(record.type)
                    continue
                }
                record.fields?.forEach { name, _ in
                    if type.fields[name] == nil { missing.insert(record.type) }
                }
            }
            return missing
        }
    }

    private func load(
        where condition: String, _ parameters: [PostgresParameter], on connection: PostgresConnection
    ) async throws {
        let rows = try await connection.query(
            PostgresStatement(
                """
                select t.environment, t.id, t.name, f.name, f.type
                from record.record_type t left join record.field f on f.record_type = t.id where \(condition)
                """), parameters)
        memory.withLock { memory in
            for row in rows {
                let key = TypeKey(environment: EnvironmentRow(row.int32(0)), name: row.string(2))
                let id = RecordTypeID(row.int32(1))
                memory.names[id] = key
                // Fields are added, never taken away or re-typed: an older answer cannot undo a newer one.
                var type = memory.byName[key] ?? RecordTypeSchema(id: id, name: key.name, fields: [:])
                if let name = row.stringIfPresent(3), let fieldType = row.int16IfPresent(4).flatMap(FieldType.init) {
                    type.learn(name, fieldType)
                }
                memory.byName[key] = type
            }
        }
    }
}
