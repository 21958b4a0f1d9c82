internal import PostgresClient
internal import RecordStorage
internal import Synchronization

/// Finds the zones that contain most of an environment's records, according to PostgreSQL's statistics.
///
/// Inverted indexes have the zone as their first column, so that a search for an element that occurs in many zones
/// reads only the entries of one zone. To combine the condition on the zone with the one on the element, PostgreSQL
/// decodes the list of all records in the zone. If the zone contains most of the table's records, it is cheaper to look
/// up only the element and to check the zone of each record that contains it.
final class LargeZones: Sendable {
    /// The minimum share of the table's records that makes a zone large.
    private static let minShare: Double = 0.5
    /// How long a result is cached. Statistics rarely change.
    private static let life: Duration = .seconds(30)

    private struct Known {
        let zone: ZoneRow?
        let until: ContinuousClock.Instant
    }

    private let pool: PostgresPool
    private let memory = Mutex<[EnvironmentRow: Known]>([:])

    /// Creates a finder for the database of `pool`.
    init(pool: PostgresPool) { self.pool = pool }

    /// Returns the large zone of an environment; nil if there is none, or if there are no statistics. Takes at most one
    /// round trip every 30 seconds.
    ///
    /// - Throws: `PostgresError`.
    func zone(of environment: EnvironmentRow) async throws -> ZoneRow? {
        let now = ContinuousClock.now
        if let known = memory.withLock({ $0[environment] }), known.until > now { return known.zone }
        let results = try await QueryTimeout.naming {
            try await pool.withConnection { connection in
                try await connection.pipeline([RecordTable.largeZone(of: environment, minShare: Self.minShare)])
            }
        }
        let zone = RecordTable.largeZone(results[0])
        memory.withLock { memory in
            memory = memory.filter { $0.value.until > now }
            memory[environment] = Known(zone: zone, until: now + Self.life)
        }
        return zone
    }
}
