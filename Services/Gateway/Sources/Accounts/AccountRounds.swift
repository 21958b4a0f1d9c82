internal import Logging
internal import RequestServing
internal import ServiceLifecycle

/// What is done again and again for the accounts: sign-ins that have expired are removed, and the partitions made and
/// dropped by which repeats of operators' requests are known.
struct AccountRounds: Service {
    /// Between two looks for sign-ins that have expired. Nothing depends on it: their tokens expire by themselves.
    private static let sessionPeriod = Duration.seconds(60)
    /// Partitions are made hours ahead.
    private static let partitionPeriod = Duration.seconds(300)

    let accounts: AccountStore
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    /// Until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await every(Self.partitionPeriod, "partitions") {
                        try await TimePartitions.account(pool: accounts.pool, logger: logger).runOnce()
                    }
                }
                group.addTask { await every(Self.sessionPeriod, "expired sessions") { try await removeExpired() } }
            }
        }
    }

    /// Removes all sessions that have expired, some at a time.
    ///
    /// - Throws: `PostgresError`.
    func removeExpired() async throws {
        let limit = 1000
        while try await accounts.removeExpiredSessions(limit: limit) == limit {}
    }

    private func every(_ period: Duration, _ what: String, _ work: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch  where !Task.isCancelled {
                logger.warning(
                    "a round failed; it is tried again", metadata: ["round": "\(what)", "error": "\(error)"])
            } catch {}
            try? await clock.sleep(for: period)
        }
    }
}
