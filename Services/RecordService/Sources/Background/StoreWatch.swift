internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceRuntime
internal import Synchronization

/// Detects when acknowledged commits might be missing from the store, and then renews the store's incarnation, so that
/// all earlier sync tokens expire. Only the first instance that detects missing commits renews the incarnation.
///
/// Commits might be missing if the server's timeline, its system identifier or the identity of the table `record.store`
/// differs from the value stored in the table's row. This happens after a point-in-time restore, a promotion, or the
/// restore of a dump: the row comes from the same backup or replica as the records, so it contains the earlier values.
/// If a copy of the server's files is restored, the three values do not change. An instance that keeps running during
/// such a restore still detects the restore, because the server's log is then behind the last position that the
/// instance saw.
///
/// A promoted replica that had received every commit cannot be distinguished from one that was behind, because it is
/// unknown which commits the lost server had acknowledged.
///
/// A request whose token was accepted between the promotion and its detection returns a token for the previous
/// incarnation (``ZoneTokenIssuer/pinned()``). This token expires with the others.
struct StoreWatch: Sendable {
    /// The time between checks, each of which reads one row.
    private static let interval = Duration.seconds(2)
    /// The maximum number of checks in one run. Several checks are needed when instances that start together write the
    /// row one after another.
    private static let maxAttempts = 5

    let pool: PostgresPool
    /// The store's incarnation, which the operations read.
    let incarnation: StoreIncarnation
    private let renewals: Counter
    private let logger: Logger
    /// The latest position seen in the server's log, along with the store's incarnation at that time.
    private let seen: Seen

    private final class Seen: Sendable {
        let position = Mutex<(token: UInt64, position: Int64)?>(nil)
    }

    /// Creates a watch on the store to which `pool` connects. It does nothing until ``runOnce()`` is called.
    init(pool: PostgresPool, metrics: ServiceMetrics, logger: Logger) {
        self.pool = pool
        self.logger = logger
        incarnation = StoreIncarnation(0)
        renewals = metrics.counter(Self.renewals)
        seen = Seen()
    }

    /// The periodic job. Its first run is delayed, because the service calls ``runOnce()`` before it starts.
    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("store identity", every: Self.interval, after: Self.interval) { try await runOnce() }
    }

    /// Checks the store once. Afterwards, ``incarnation`` is the store's incarnation. Takes one round trip, plus a
    /// transaction if the store's place must be written.
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
                return .isElsewhere("the position of the server's log went backwards")
            }
            seen = (sighting.token, sighting.position)
            return nil
        }
    }

    /// Writes the server's current place, unless another instance has written the row since `sighting`.
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
                "the store was restored or a replica was promoted; all earlier sync tokens have expired",
                metadata: ["found": "\(what)"])
        }
    }
}

extension StoreWatch {
    static let renewals = MetricFamily.counter(
        "zonda_store_renewals_total", "Detected restores and promotions. Each of them expires all earlier sync tokens.")
}
