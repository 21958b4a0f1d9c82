package import PostgresClient

/// The purge of tombstones that are older than the retention period. It raises the purge marks of their zones in the
/// same transactions. A sync token whose horizon is below the mark has expired.
package enum TombstoneRemoval {
    /// Deletes a bounded number of an environment's tombstones that are due for removal, oldest first, in the
    /// transaction of `connection`. Requires only one index look-up if nothing is due.
    ///
    /// Zones that are being written to are skipped and left for a later transaction. If all zones with due tombstones
    /// are being written to, the transaction waits for one of them.
    ///
    /// - Returns: whether more tombstones might be due.
    /// - Throws: `PostgresError`, for example if the environment has been removed.
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
        // The tombstones keep their physical location (`ctid`) while their zones are locked.
        let deleted = try await connection.pipeline([table.deleteTombstones(retention: retention, in: locked)])
        let marks = RecordTable.marks(deleted[0])
        // The links of deleted records are removed only here, so that a deletion in a zone without shares needs no
        // additional statement.
        _ = try await connection.pipeline([
            ZoneTable.raisePurgeMarks(marks.map { (zone: $0.key, seq: $0.value) }),
            ShareTable(environment).unlink(RecordTable.deleted(deleted[0])),
        ])
        return due.count == RecordTable.maxPurgedTombstones && !marks.isEmpty
    }

    /// Locks `zones` and returns those that were locked. If `waiting` is false, zones that another transaction has
    /// locked are skipped. If `waiting` is true, the method waits for the lock; `zones` must then contain only one
    /// zone.
    static func lock(
        _ zones: [ZoneRow], waiting: Bool, on connection: PostgresConnection
    ) async throws -> [ZoneRow] {
        let results = try await connection.pipeline([ZoneTable.lock(zones, waiting: waiting)])
        return Array(ZoneTable.locked(results[0]).keys)
    }
}
