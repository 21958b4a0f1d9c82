package import PostgresClient

/// The purge of departures, former participants and ended shares that are older than the retention period, regardless
/// of whether their zones have tombstones. It raises the departure marks of the zones in the same transactions.
package enum DepartureRemoval {
    /// Deletes a bounded number of an environment's departures, former participants and ended shares that are due for
    /// removal, oldest first, in the transaction of `connection`. Requires only three index look-ups if nothing is due.
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
        locked += DepartureTable.zones(try await connection.pipeline([DepartureTable.missing(of: zones)])[0])
        // The rows keep their physical location (`ctid`) while their zones are locked.
        let deleted = try await connection.pipeline(table.delete(in: locked))
        let marks = DepartureTable.marks(deleted)
        let zoneMarks = marks.map { (zone: $0.key, seq: $0.value) }
        let raised = table.raiseMark(deleted) + (marks.isEmpty ? [] : [ZoneTable.raiseDepartureMarks(zoneMarks)])
        if !raised.isEmpty { _ = try await connection.pipeline(raised) }
        let isFull = due.contains { $0.count == DepartureTable.maxPurged }
        return DepartureTable.isIncomplete(deleted) || (isFull && !marks.isEmpty)
    }
}
