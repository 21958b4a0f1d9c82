package import PostgresClient

/// The purge of departures and ended shares that are older than the retention period, whether or not their zones have
/// tombstones. It raises the departure marks of the zones in the same transactions.
package enum DepartureRemoval {
    /// Deletes a bounded number of an environment's oldest due departures and ended shares, in the transaction of
    /// `connection`. Takes two index look-ups if nothing is due.
    ///
    /// Zones that are being written to are skipped, as in ``TombstoneRemoval``.
    ///
    /// - Returns: whether more might be due.
    /// - Throws: `PostgresError`, for example if the environment has been removed.
    package static func removeDue(
        in environment: EnvironmentRow, retention: Duration, on connection: PostgresConnection
    ) async throws -> Bool {
        let table = DepartureTable(environment, retention: retention)
        let due = try await connection.pipeline(table.due).map(DepartureTable.zones)
        guard let oldest = due.lazy.compactMap(\.first).first else { return false }
        let zones = Array(Set(due.joined()))
        var locked = try await TombstoneRemoval.lock(zones, waiting: false, on: connection)
        if locked.isEmpty { locked = try await TombstoneRemoval.lock([oldest], waiting: true, on: connection) }
        // The rows keep their physical location (`ctid`) while their zones are locked.
        let deleted = try await connection.pipeline(table.delete(in: locked))
        let marks = DepartureTable.marks(deleted[0], deleted[2])
        if !marks.isEmpty {
            let marks = marks.map { (zone: $0.key, seq: $0.value) }
            _ = try await connection.pipeline([ZoneTable.raiseDepartureMarks(marks)])
        }
        let isFull = due.contains { $0.count == DepartureTable.maxPurged }
        return deleted[1].affectedRows == DepartureTable.maxPurged || (isFull && !marks.isEmpty)
    }
}
