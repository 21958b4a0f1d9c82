package import CloudKitModel
package import PostgresClient
package import ServiceMessages

/// Reads records of a zone in one snapshot of the database.
package struct ZoneReader: Sendable {
    /// The number of times a read is repeated because the zone or its schema changed meanwhile.
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

    /// Reads records of the live zone called `name`. Costs one round trip, and more only when the zone or its schema is
    /// not remembered or has changed.
    ///
    /// - Parameters:
    ///   - createDatabase: whether the database is created if it does not exist.
    ///   - check: throws when the zone's state makes the request invalid.
    ///   - statement: a statement whose rows ``RecordTable/records(_:)`` decodes.
    /// - Returns: nil when there is no such zone.
    /// - Throws: what `check` and `statement` throw; `ZONE_BUSY` when the zone or its schema changed at each attempt; `PostgresError`.
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
                // Deleted, perhaps created again since: the directory looks it up again.
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

    /// Returns those of a snapshot's records that no cascade is about to delete, so that no reader sees a part of a tree
    /// (``CascadeTable``). Costs nothing in a zone without cascades, and otherwise one round trip.
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
