internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import SubscriptionStorage
internal import Synchronization

/// Resets moments that lie in the future. Such moments can exist after the database has been restored on another
/// server; see ``MomentTable``.
final class MomentCheck: Sendable {
    private let table: MomentTable
    private let resets: Counter
    private let logger: Logger
    private let hasCheckedSubscriptions = Mutex(false)

    /// Creates a check of the moments in the database of `pool`.
    init(pool: PostgresPool, metrics: SubscriptionMetrics, logger: Logger) {
        table = MomentTable(pool: pool)
        resets = metrics.momentsForgotten
        self.logger = logger
    }

    /// Resets the moments that lie in the future. The first run reads all subscriptions. Later runs read only the
    /// sweep's moment, which is the most recent one. Takes one round trip, plus a transaction if there are moments to
    /// reset.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let isFirst = hasCheckedSubscriptions.withLock { !$0 }
        if try await table.hasFutureMoments(everywhere: isFirst) { try await reset() }
        hasCheckedSubscriptions.withLock { $0 = true }
    }

    private func reset() async throws {
        let count = try await table.reset()
        guard count.subscriptions + count.sweeps > 0 else { return }
        resets.increment(by: count.subscriptions + count.sweeps)
        logger.warning(
            "the database was restored and its transaction numbers started over; moments were reset",
            metadata: ["subscriptions": "\(count.subscriptions)", "sweep": "\(count.sweeps > 0)"])
    }
}
