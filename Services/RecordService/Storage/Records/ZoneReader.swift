package import CloudKitModel
package import PostgresClient
package import ServiceMessages

/// Reads records of a zone in a single snapshot of the database.
package struct ZoneReader: Sendable {
    /// The maximum number of attempts to read while the zone or its schema keeps changing.
    private static let maxAttempts = 5

    private let pool: PostgresPool
    private let directory: ZoneDirectory
    private let schema: SchemaStore

    /// Creates a reader.
    package init(pool: PostgresPool, directory: ZoneDirectory, schema: SchemaStore) {
        self.pool = pool
        self.directory = directory
        self.schema = schema
    }

    /// Reads records of the live zone called `name`. Takes one round trip, or more if the zone or its schema is not
    /// cached or has changed.
    ///
    /// - Parameters:
    ///   - createDatabase: whether to create the database if it does not exist.
    ///   - check: throws an error if the zone's state makes the request invalid.
    ///   - statements: returns one or more statements. ``RecordTable/records(_:)`` decodes the rows of the first
    ///     statement; ``ZoneSnapshot/results`` contains the results of all statements. In the shared database, the
    ///     second argument describes the records that the user may see, and the statements must be limited to these
    ///     records. The argument is read in the same snapshot, but in a separate round trip.
    /// - Returns: nil if the zone does not exist or the user may not see it.
    /// - Throws: any error that `check` or `statements` throws; `ZONE_BUSY` if the zone or its schema changed during
    ///   every attempt; or `PostgresError`.
    package func read(
        _ name: ZoneName, for context: RequestContext, createDatabase: Bool,
        check: (ZoneEntry, ZoneState) throws -> Void = { _, _ in },
        _ statements: (ZoneEntry, ShareAccess?) throws -> [PostgresCall]
    ) async throws -> ZoneSnapshot? {
        for _ in 0..<Self.maxAttempts {
            guard let zone = try await directory.zone(name, for: context, createDatabase: createDatabase) else {
                return nil
            }
            let environment = zone.database.environment
            let results = try await results(of: statements, in: zone, for: context)
            guard let state = ZoneTable.state(results[1]), !state.isDeleted else {
                // The zone was deleted, and might have been created again. The directory looks it up again.
                directory.forget(zone.address)
                continue
            }
            guard results.count > 3 else { return nil }
            try check(zone, state)
            let rows = try RecordTable.records(results[3])
            let schema = try await schema.snapshot(
                of: environment, version: SchemaLock.version(results[2]), records: rows.map(\.record))
            guard let schema else { continue }
            return ZoneSnapshot(
                zone: zone, state: state, schema: schema, records: rows.filter { !$0.isOmitted }.map(\.record),
                omitted: rows.filter(\.isOmitted).map(\.record.name), results: Array(results[3...]))
        }
        throw ServerError(.zoneBusy, "The zone or its schema changed repeatedly while the zone was being read")
    }

    /// Executes the statements in a snapshot.
    ///
    /// - Returns: the results. The second result is the state of the zone, and the third is the version of the schema.
    ///   The results of `statements` follow; they are missing if the user may not see the zone.
    private func results(
        of statements: (ZoneEntry, ShareAccess?) throws -> [PostgresCall], in zone: ZoneEntry,
        for context: RequestContext
    ) async throws -> [PostgresResult] {
        let opening = [
            PostgresCall.begin(.repeatableRead.readOnly), ZoneTable.state(of: zone.row),
            SchemaLock.version(zone.database.environment),
        ]
        guard context.scope == .shared else {
            let calls = try statements(zone, nil)
            return try await pool.withConnection { try await $0.pipeline(opening + calls + [.commit]) }
        }
        let access = ShareAccessTable.read(of: context.user, in: zone.row)
        return try await pool.withConnection { connection in
            let results = try await connection.pipeline(opening + [access])
            guard var access = ShareAccessTable.access(results[3]) else {
                _ = try await connection.pipeline([.rollback])
                return Array(results.prefix(3))
            }
            access.moves = ZoneTable.state(results[1])?.moves ?? .none
            return try await results.prefix(3) + connection.pipeline(try statements(zone, access) + [.commit])
        }
    }

    /// Returns the records of a snapshot without those that are pending deletion (``CascadeTable``), so that no reader
    /// sees a partly deleted tree of records. Takes one round trip in a zone with cascades, otherwise none.
    ///
    /// - Throws: `PostgresError`.
    package func visible(_ snapshot: ZoneSnapshot) async throws -> [StoredRecord] {
        guard snapshot.state.isCascading else { return snapshot.records }
        let names = snapshot.records.filter { !$0.isTombstone }.map(\.name)
        let table = CascadeTable(snapshot.zone.database.environment)
        let row = snapshot.zone.row
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([table.pending(names, in: row)])
        }
        let pending = Set(CascadeTable.pending(results[0], in: row).map(\.key.name))
        return snapshot.records.filter { $0.isTombstone || !pending.contains($0.name) }
    }
}
