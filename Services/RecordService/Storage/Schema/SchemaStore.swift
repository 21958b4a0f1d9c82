internal import CloudKitModel
internal import CloudKitSchema
package import PostgresClient
internal import Synchronization

/// The schemas of the environments in use, remembered. What is remembered is right as long as the environment's version
/// is the same, but may not be all: another instance may have learnt more, which is read when it is met.
package final class SchemaStore: Sendable {
    private let pool: PostgresPool
    /// Fields and types of all schemas that are remembered together; a field takes some 300 bytes.
    private static let maxFields = 200_000

    private let memory = Mutex(RecentCache<EnvironmentRow, EnvironmentSchema>(maxCost: maxFields))

    /// A store over `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// What a transaction that works by the schemas of `environments` begins with; its results are for
    /// ``snapshot(entered:_:knowing:records:on:)``. Two statements for each, no round trip of their own.
    package static func enter(_ environments: [EnvironmentRow]) -> [PostgresCall] {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        return sorted.map(SchemaLock.shared) + sorted.map(SchemaLock.version)
    }

    /// As ``enter(_:)`` for several environments of which none is waited for; its results are for ``entered(_:of:)``.
    package static func tryEnter(_ environments: [EnvironmentRow]) -> [PostgresCall] {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        return sorted.map(SchemaLock.tryShared) + sorted.map(SchemaLock.version)
    }

    /// The environments that a transaction which began with ``tryEnter(_:)`` may work by, in the order of their ids, and
    /// the results of these for ``snapshot(entered:_:knowing:records:on:)``.
    package static func entered(
        _ results: [PostgresResult], of environments: [EnvironmentRow]
    ) -> (environments: [EnvironmentRow], results: [PostgresResult]) {
        let sorted = environments.sorted { $0.rawValue < $1.rawValue }
        let granted = sorted.indices.filter { results[$0].first?.bool(0) == true }
        return (granted.map { sorted[$0] }, granted.map { results[sorted.count + $0] })
    }

    /// The schemas that hold until the end of a transaction that began with ``enter(_:)``. A round trip only when
    /// something is not remembered.
    ///
    /// - Parameters:
    ///   - results: those of ``enter(_:)``.
    ///   - types: types that have to be known.
    ///   - records: records whose types and fields have to be known.
    /// - Throws: `PostgresError`, also when an environment is gone (``PostgresError/isOfDeletedContainer``).
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

    /// The schema by which `records` were written, of which a snapshot of the database saw `version`.
    ///
    /// - Returns: nil when the schema was changed since that snapshot: the records have to be read again.
    /// - Throws: `PostgresError`, also when the environment is gone (``PostgresError/isOfDeletedContainer``).
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

    /// The schema of `environment` as far as it is remembered; read where it is not.
    ///
    /// - Throws: `PostgresError`, also when the environment is gone (``PostgresError/isOfDeletedContainer``).
    package func latest(_ environment: EnvironmentRow) async throws -> EnvironmentSchema {
        if let known = memory.withLock({ $0.value(environment) }) { return known }
        return try await pool.withConnection { try await load(environment, on: $0) }
    }

    /// Reads the schema of `environment`, and remembers it.
    ///
    /// - Throws: `PostgresError`, also when the environment is gone (``PostgresError/isOfDeletedContainer``).
    @discardableResult
    package func load(_ environment: EnvironmentRow, on connection: PostgresConnection) async throws
        -> EnvironmentSchema
    {
        let result = try await connection.pipeline([EnvironmentSchema.read(environment)])
        guard let loaded = EnvironmentSchema(result[0]) else { throw PostgresError.environmentGone }
        memory.withLock { memory in
            let known = memory.value(environment)
            // Two readings may come in either order.
            if let known, (known.version, known.fieldCount) > (loaded.version, loaded.fieldCount) { return }
            memory.keep(loaded, for: environment, cost: loaded.fieldCount + 1)
        }
        return loaded
    }

    private func remembered(_ environment: EnvironmentRow, at version: Int64) -> EnvironmentSchema? {
        memory.withLock { $0.value(environment) }.flatMap { $0.version == version ? $0 : nil }
    }

    /// Learns types and fields in a short transaction of its own. No lock is waited for longer than
    /// ``LockPatience/worker``.
    ///
    /// - Throws: `PostgresError`; a ``ServerError`` when there would be too many.
    package func learn(_ additions: [SchemaAddition], in environment: EnvironmentRow) async throws {
        let lesson = SchemaLesson(additions, in: environment)
        try await pool.withConnection { connection in
            try Self.check(additions, against: try await load(environment, on: connection))
            let results = try await connection.pipeline(
                [.begin, LockPatience.shorten(to: LockPatience.worker)] + lesson.learn + [.commit])
            if lesson.meetsHidden(results.dropLast()) { try await lesson.bringBack(on: connection) }
            try await load(environment, on: connection)
        }
    }

    /// A schema that is learnt has the limits of one that is written: its text can be imported elsewhere.
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
