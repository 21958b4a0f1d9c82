internal import PostgresClient
internal import RecordStorage
internal import Synchronization

/// The zones that hold most of an environment's records, by PostgreSQL's statistics.
///
/// Inverted indexes have the zone before what they are over, so that an element that many zones have costs no more than
/// those of one. To find the records of both, PostgreSQL decodes the list of all of the zone's: where that is most of the
/// table, it is cheaper to look at the zone of what the element alone finds, twice as many at worst.
final class LargeZones: Sendable {
    /// From this part of the table's records on a zone is large.
    private static let minShare: Double = 0.5
    /// Statistics change seldom.
    private static let life: Duration = .seconds(30)

    private struct Known {
        let zone: ZoneRow?
        let until: ContinuousClock.Instant
    }

    private let pool: PostgresPool
    private let memory = Mutex<[EnvironmentRow: Known]>([:])

    /// The zones of the database of `pool`.
    init(pool: PostgresPool) { self.pool = pool }

    /// The large zone of an environment; nil: there is none, or nothing is known. A round trip twice a minute.
    ///
    /// - Throws: `PostgresError`.
    func zone(of environment: EnvironmentRow) async throws -> ZoneRow? {
        let now = ContinuousClock.now
        if let known = memory.withLock({ $0[environment] }), known.until > now { return known.zone }
        let results = try await QueryTrouble.naming {
            try await pool.withConnection { connection in
                try await connection.pipeline([RecordTable.largeZone(of: environment, minShare: Self.minShare)])
            }
        }
        let zone = results[0].first.map { ZoneRow($0.int64(0)) }
        memory.withLock { memory in
            memory = memory.filter { $0.value.until > now }
            memory[environment] = Known(zone: zone, until: now + Self.life)
        }
        return zone
    }
}
