internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceRuntime
internal import Synchronization

/// Notices that acknowledged commits may be missing from the store, and expires every sync token that was handed out
/// before by renewing the store's incarnation, once, whichever instance is first.
///
/// Commits may be missing when the server's timeline, its system identifier or the table itself is another one than the
/// row of `record.store` notes: after a restore to a point in time, a promotion, a dump that was restored. The row comes
/// from the same backup or replica as the records, so it notes the place before. What keeps all three (a copy of the
/// server's files) is noticed by an instance that runs meanwhile: the server's log is behind where it was seen before.
///
/// A replica that was promoted with nothing missing is not told from one that was behind: what a lost server had
/// acknowledged is known to nobody afterwards.
///
/// A token that was accepted between the promotion and the look is answered with one of the same, former incarnation
/// (``ZoneTokenIssuer/pinned()``), which expires with the others.
struct StoreWatch: Sendable {
    /// Between two looks: a query of one row.
    private static let interval = Duration.seconds(2)
    /// Looks until the row stands still: instances that start together write it one after another.
    private static let maxAttempts = 5

    let pool: PostgresPool
    /// What the operations go by.
    let incarnation: StoreIncarnation
    private let renewals: Counter
    private let logger: Logger
    /// The furthest position of the server's log, with the incarnation under which it was seen.
    private let seen: Seen

    private final class Seen: Sendable {
        let position = Mutex<(token: UInt64, position: Int64)?>(nil)
    }

    /// A watch over the store of `pool`; nothing is asked before ``runOnce()``.
    init(pool: PostgresPool, metrics: ServiceMetrics, logger: Logger) {
        self.pool = pool
        self.logger = logger
        incarnation = StoreIncarnation(0)
        renewals = metrics.counter(Self.renewals)
        seen = Seen()
    }

    /// The service looks once before it starts.
    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("store identity", every: Self.interval, after: Self.interval) { try await runOnce() }
    }

    /// Looks once; afterwards ``incarnation`` is the store's.
    ///
    /// - Throws: `PostgresError`. One round trip; a transaction when the store is elsewhere.
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

    /// What there is to write.
    private enum Reason {
        case isFirst
        case isElsewhere(String)
    }

    private func reason(for sighting: StoreSighting, at present: StorePlace) -> Reason? {
        guard let noted = sighting.noted else { return .isFirst }
        guard noted == present else { return .isElsewhere(present.change(since: noted)) }
        return seen.position.withLock { seen in
            if let seen, seen.token == sighting.token, seen.position > sighting.position {
                return .isElsewhere("the server's log went back")
            }
            seen = (sighting.token, sighting.position)
            return nil
        }
    }

    /// Notes where the store is, unless another instance has written the row since.
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
                "the store was restored or a replica promoted: every sync token handed out before has expired",
                metadata: ["found": "\(what)"])
        }
    }
}

extension StoreWatch {
    static let renewals = MetricFamily.counter(
        "zonda_store_renewals_total", "Restored or promoted databases noticed; each expired every sync token.")
}
