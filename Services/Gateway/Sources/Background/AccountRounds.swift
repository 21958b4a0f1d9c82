internal import Logging
internal import RequestServing

/// What is done again and again for the accounts: sign-ins that have expired are removed, and the partitions made and
/// dropped by which repeats of operators' requests are known.
struct AccountRounds: Sendable {
    /// Between two looks for sign-ins that have expired. Nothing depends on it: their tokens expire by themselves.
    private static let sessionPeriod = Duration.seconds(60)
    /// Partitions are made hours ahead.
    private static let partitionPeriod = Duration.seconds(300)

    let accounts: AccountStore
    let logger: Logger

    var jobs: [PeriodicJobs.Job] {
        [
            PeriodicJobs.Job("partitions", every: Self.partitionPeriod) {
                try await TimePartitions.account(pool: accounts.pool, logger: logger).runOnce()
            },
            PeriodicJobs.Job("expired sessions", every: Self.sessionPeriod) { try await removeExpired() },
        ]
    }

    /// Removes all sessions that have expired, some at a time.
    ///
    /// - Throws: `PostgresError`.
    func removeExpired() async throws {
        let limit = 1000
        while try await accounts.removeExpiredSessions(limit: limit) == limit {}
    }
}
