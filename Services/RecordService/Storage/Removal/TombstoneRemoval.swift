package import PostgresClient

/// The purge of tombstones that are older than the retention. It raises the purge marks of their zones in the same
/// transactions, and a sync token whose horizon is below the mark has expired.
package enum TombstoneRemoval {
    /// Deletes a bounded number of an environment's oldest due tombstones, in the transaction of `connection`. Costs one
    /// index look-up when nothing is due.
    ///
    /// Zones that are being written to are passed over and come in a later transaction; only when nothing else is due is
    /// one of them waited for.
    ///
    /// - Returns: whether more may be due.
    /// - Throws: `PostgresError`, also when the environment was removed.
    package static func removeDue(
        in environment: EnvironmentRow, retention: Duration, on connection: PostgresConnection
    ) async throws -> Bool {
        let table = RecordTable(environment)
        _ = try await connection.query(RecordTable.noBitmaps)
        let due = RecordTable.zones(
            ofTombstones: try await connection.pipeline([table.dueTombstones(retention: retention)])[0])
        guard let oldest = due.first else { return false }
        var locked = try await lock(Array(Set(due)), waiting: false, on: connection)
        if locked.isEmpty { locked = try await lock([oldest], waiting: true, on: connection) }
        // Under the locks of their zones these rows do not move.
        let deleted = try await connection.pipeline([table.deleteTombstones(retention: retention, in: locked)])
        let marks = RecordTable.marks(deleted[0])
        _ = try await connection.pipeline([ZoneTable.raisePurgeMarks(marks.map { ($0.key, $0.value) })])
        return due.count == RecordTable.maxPurgedTombstones && !marks.isEmpty
    }

    private static func lock(
        _ zones: [ZoneRow], waiting: Bool, on connection: PostgresConnection
    ) async throws -> [ZoneRow] {
        let results = try await connection.pipeline([ZoneTable.lock(zones, waiting: waiting)])
        return Array(ZoneTable.locked(results[0]).keys)
    }
}
