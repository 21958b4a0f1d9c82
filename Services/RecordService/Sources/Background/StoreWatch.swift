internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceRuntime
internal import Synchronization

/// Detects that acknowledged commits may be missing from the store, and then renews the store's incarnation, which
/// expires every sync token issued before. The first instance that detects it renews it, once.
///
/// Commits may be missing if the server's timeline, its system identifier or the table itself differs from the row of
/// `record.store`: after a restore to a point in time, a promotion, or the restore of a dump. The row comes from the
/// same backup or replica as the records, so it contains the former place. A copy of the server's files keeps all
/// three; an instance that runs meanwhile detects it, because the server's log is behind the position where it was last
/// seen.
///
/// A replica that was promoted with nothing missing cannot be distinguished from one that was behind, because the
/// commits that the lost server had acknowledged are unknown.
///
/// A token that was accepted between the promotion and its detection is answered with one of the same, former
/// incarnation (``ZoneTokenIssuer/pinned()``), which expires with the others.
struct StoreWatch: Sendable {
    /// The time between two looks: a query of one row.
    private static let interval = Duration.seconds(2)
    /// The number of looks until the row is stable: instances that start together write it one after another.
    private static let maxAttempts = 5

    let pool: PostgresPool
    /// The incarnation for the operations.
    let incarnation: StoreIncarnation
    private let renewals: Counter
    private let logger: Logger
    /// The furthest position of the server's log, with the incarnation under which it was seen.
    private let seen: Seen

    private final class Seen: Sendable {
        let position = Mutex<(token: UInt64, position: Int64)?>(nil)
    }

    /// Creates a watch over the store of `pool`. It does nothing before ``runOnce()``.
    init(pool: PostgresPool, metrics: ServiceMetrics, logger: Logger) {
        self.pool = pool
        self.logger = logger
        incarnation = StoreIncarnation(0)
        renewals = metrics.counter(Self.renewals)
        seen = Seen()
    }

    /// The first run is delayed, because the service calls ``runOnce()`` before it starts.
    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("store identity", every: Self.interval, after: Self.interval) { try await runOnce() }
    }

    /// Looks once. Afterwards ``incarnation`` is the store's. Takes one round trip; a transaction if the store is at
    /// another place.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        for _ in 0..<Self.maxAttempts {
            let rows = try await pool.withConnection { try await $0.query(StoreTable.sighting) }
            guard let sighting = rows.first.flatMap(StoreSighting.init) else {
                throw PostgresError(.unexpected, message: "record.store has no row")
            }
            guard let present = sighting.present, let reason = reason(for: sighting, at: present) else {
                incarnation.change(to: sighting.token)
                return
            }
            try await write(present, over: sighting, because: reason)
        }
    }

    /// The reason for writing the row.
    private enum Reason {
        case isFirst
        case isElsewhere(String)
    }

    private func reason(for sighting: StoreSighting, at present: StorePlace) -> Reason? {
        guard let noted = sighting.noted else { return .isFirst }
        guard noted == present else { return .isElsewhere(present.change(since: noted)) }
        return seen.position.withLock { seen in
            if let seen, seen.token == sighting.token, seen.position > sighting.position {
                return .isElsewhere("the position of the server's log went back")
            }
            seen = (sighting.token, sighting.position)
            return nil
        }
    }

    /// Writes the present place, unless another instance has written the row since.
    private func write(_ present: StorePlace, over sighting: StoreSighting, because reason: Reason) async throws {
        switch reason {
        case .isFirst:
            _ = try await pool.withConnection { try await $0.pipeline([StoreTable.note(present, over: sighting)]) }
        case .isElsewhere(let what):
            let isRenewed = try await pool.withTransaction { connection in
                try await StoreTable.renew(at: present, over: sighting, on: connection)
            }
            guard isRenewed else { return }
            renewals.increment()
            logger.warning(
                "the store was restored or a replica promoted; all earlier sync tokens have expired",
                metadata: ["found": "\(what)"])
        }
    }
}

extension StoreWatch {
    static let renewals = MetricFamily.counter(
        "zonda_store_renewals_total", "Restores and promotions detected; each expires every sync token.")
}
