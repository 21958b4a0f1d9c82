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
    /// remembered or has changed.
    ///
    /// - Parameters:
    ///   - createDatabase: whether to create the database if it does not exist.
    ///   - check: throws an error if the zone's state makes the request invalid.
    ///   - statement: returns the statement, whose rows ``RecordTable/records(_:)`` decodes.
    /// - Returns: nil if there is no such zone.
    /// - Throws: an error from `check` or `statement`; `ZONE_BUSY` if the zone or its schema changed during every
    ///   attempt; or `PostgresError`.
    package func read(
        _ name: ZoneName, for context: RequestContext, createDatabase: Bool,
        check: (ZoneEntry, ZoneState) throws -> Void = { _, _ in }, _ statement: (ZoneEntry) throws -> PostgresCall
    ) async throws -> ZoneSnapshot? {
        for _ in 0..<Self.maxAttempts {
            guard let zone = try await directory.zone(name, for: context, createDatabase: createDatabase) else {
                return nil
            }
            let environment = zone.database.environment
            let call = try statement(zone)
            let results = try await pool.withConnection { connection in
                try await connection.pipeline([
                    .begin(.repeatableRead.readOnly), ZoneTable.state(of: zone.row), SchemaLock.version(environment),
                    call, .commit,
                ])
            }
            guard let state = ZoneTable.state(results[1]), !state.isDeleted else {
                // The zone was deleted, and might have been created again. The directory looks it up again.
                directory.forget(zone.address)
                continue
            }
            try check(zone, state)
            let rows = try RecordTable.records(results[3])
            let schema = try await schema.snapshot(
                of: environment, version: SchemaLock.version(results[2]), records: rows.map(\.record))
            guard let schema else { continue }
            return ZoneSnapshot(
                zone: zone, state: state, schema: schema, records: rows.filter { !$0.isOmitted }.map(\.record),
                omitted: rows.filter(\.isOmitted).map(\.record.name))
        }
        throw ServerError(.zoneBusy, "The zone or its schema changed repeatedly while it was read")
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
