internal import CloudKitModel
internal import CloudKitSchema
package import PostgresClient
internal import Synchronization

/// Caches the schemas of the environments in use. A cached schema is correct as long as the environment's version
/// remains the same, but it might be incomplete, because another instance might have extended the schema. An incomplete
/// schema is read again when needed.
package final class SchemaStore: Sendable {
    private let pool: PostgresPool
    /// The maximum total number of fields and types in all cached schemas. A field takes up about 300 bytes.
    private static let maxFields = 200_000

    private let memory = Mutex(RecentCache<EnvironmentRow, EnvironmentSchema>(maxCost: maxFields))

    /// Creates a store that uses `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// The first statements of a transaction that uses the schemas of `environments`; pass their results to
    /// ``snapshot(entered:_:knowing:records:on:)``. There are two statements for each environment, and they need no
    /// additional round trip.
    package static func enter(_ environments: [EnvironmentRow]) -> [PostgresCall] {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        return sorted.map(SchemaLock.shared) + sorted.map(SchemaLock.version)
    }

    /// The first statements of a transaction, like ``enter(_:)``, but without waiting for any environment's lock; pass
    /// their results to ``entered(_:of:)``.
    package static func tryEnter(_ environments: [EnvironmentRow]) -> [PostgresCall] {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        return sorted.map(SchemaLock.tryShared) + sorted.map(SchemaLock.version)
    }

    /// Returns the environments, ordered by id, whose schemas may be used by a transaction that began with
    /// ``tryEnter(_:)``, and the results to pass to ``snapshot(entered:_:knowing:records:on:)``.
    package static func entered(
        _ results: [PostgresResult], of environments: [EnvironmentRow]
    ) -> (environments: [EnvironmentRow], results: [PostgresResult]) {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        let granted = sorted.indices.filter { results[$0].first?.bool(0) == true }
        return (granted.map { sorted[$0] }, granted.map { results[sorted.count + $0] })
    }

    /// Returns the schemas, which are valid until the end of a transaction that began with ``enter(_:)``. Takes a round
    /// trip only if a schema is not cached or lacks a type or field.
    ///
    /// - Parameters:
    ///   - results: the results of ``enter(_:)``.
    ///   - types: types that the schemas must contain.
    ///   - records: records whose types and fields the schemas must contain.
    /// - Throws: `PostgresError`, for example if an environment is gone (``PostgresError/isOfDeletedContainer``).
    package func snapshot(
        entered results: some Collection<PostgresResult>, _ environments: [EnvironmentRow],
        knowing types: Set<RecordTypeID> = [], records: [StoredRecord] = [], on connection: PostgresConnection
    ) async throws -> SchemaSnapshot {
        var snapshot = SchemaSnapshot()
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        for (environment, result) in zip(sorted, results.suffix(sorted.count)) {
            guard let version = result.first?.int64(0) else { throw PostgresError.environmentGone }
            let known = remembered(environment, at: version)
            snapshot.environments[environment] =
                if let known { known } else { try await load(environment, on: connection) }
        }
        let isShort =
            sorted.count == 1
            ? snapshot.environments[sorted[0]]?.lacks(types, records) == true
            : types.contains { snapshot.type($0) == nil }
                || records.contains { record in
                    snapshot.environments.values.allSatisfy { $0.lacks([], [record]) }
                }
        if isShort {
            for environment in sorted {
                snapshot.environments[environment] = try await load(environment, on: connection)
            }
        }
        return snapshot
    }

    /// Returns the schema that describes `records`. `version` must have been read in the same snapshot of the database
    /// as the records.
    ///
    /// - Returns: nil if the schema has changed since that snapshot, in which case the records must be read again.
    /// - Throws: `PostgresError`, for example if the environment is gone (``PostgresError/isOfDeletedContainer``).
    package func snapshot(
        of environment: EnvironmentRow, version: Int64?, records: [StoredRecord]
    ) async throws -> SchemaSnapshot? {
        guard let version else { throw PostgresError.environmentGone }
        if let known = remembered(environment, at: version), !known.lacks([], records) {
            return SchemaSnapshot(environments: [environment: known])
        }
        let loaded = try await pool.withConnection { try await load(environment, on: $0) }
        return loaded.version == version ? SchemaSnapshot(environments: [environment: loaded]) : nil
    }

    /// Returns the schema of `environment`. Reads it from the database only if it is not in memory.
    ///
    /// - Throws: `PostgresError`, for example if the environment is gone (``PostgresError/isOfDeletedContainer``).
    package func latest(_ environment: EnvironmentRow) async throws -> EnvironmentSchema {
        if let known = memory.withLock({ $0.value(environment) }) { return known }
        return try await pool.withConnection { try await load(environment, on: $0) }
    }

    /// Reads the schema of `environment` and caches it. Takes one round trip.
    ///
    /// - Throws: `PostgresError`, for example if the environment is gone (``PostgresError/isOfDeletedContainer``).
    @discardableResult
    package func load(_ environment: EnvironmentRow, on connection: PostgresConnection) async throws
        -> EnvironmentSchema
    {
        let result = try await connection.pipeline([EnvironmentSchema.read(environment)])
        guard let loaded = EnvironmentSchema(result[0]) else { throw PostgresError.environmentGone }
        memory.withLock { memory in
            let known = memory.value(environment)
            // A read that began earlier can finish later.
            if let known, (known.version, known.fieldCount) > (loaded.version, loaded.fieldCount) { return }
            memory.keep(loaded, for: environment, cost: loaded.fieldCount + 1)
        }
        return loaded
    }

    private func remembered(_ environment: EnvironmentRow, at version: Int64) -> EnvironmentSchema? {
        memory.withLock { $0.value(environment) }.flatMap { $0.version == version ? $0 : nil }
    }

    /// Extends a schema with types and fields, in a separate, short transaction. Waits no longer than
    /// ``LockTimeouts/worker`` for any lock.
    ///
    /// - Throws: `PostgresError`, or `BAD_REQUEST` if the schema would become too large.
    package func extend(_ environment: EnvironmentRow, by additions: [SchemaAddition]) async throws {
        let growth = SchemaExtension(additions, in: environment)
        try await pool.withConnection { connection in
            try Self.check(additions, against: try await load(environment, on: connection))
            let results = try await connection.pipeline(
                [.begin, LockTimeouts.shorten(to: LockTimeouts.worker)] + growth.statements + [.commit])
            if growth.meetsHidden(results.dropLast()) { try await growth.bringBack(on: connection) }
            try await load(environment, on: connection)
        }
    }

    /// Applies the limits for imported schemas, so that the text of an extended schema can be imported elsewhere.
    private static func check(_ additions: [SchemaAddition], against present: EnvironmentSchema) throws(ServerError) {
        let types = Set(additions.map(\.recordType)).union(present.allTypes.keys).count
        guard types <= SchemaLimits.maxRecordTypes else {
            throw .schemaTooLarge("record types", limit: SchemaLimits.maxRecordTypes, actual: types)
        }
        for addition in additions {
            let fields = Set(addition.fields.keys).union(present.allTypes[addition.recordType]?.fields.keys ?? [:].keys)
            guard fields.count <= SchemaLimits.maxFields else {
                throw .schemaTooLarge(
                    "fields of '\(addition.recordType)'", limit: SchemaLimits.maxFields, actual: fields.count)
            }
        }
    }
}
