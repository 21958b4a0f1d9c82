internal import GatewayStorage
internal import Logging
internal import PostgresClient
internal import RequestServing

/// The gateway's periodic jobs. They remove expired sessions, and create and drop the partitions of `account.request`,
/// which records operators' requests.
struct BackgroundJobs: Sendable {
    /// The time between removals of expired sessions. The period is not critical, because tokens expire on their own.
    private static let sessionPeriod = Duration.seconds(60)
    /// The time between checks of the partitions, which are created hours in advance.
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

    /// Removes all expired sessions, at most 1000 per transaction.
    ///
    /// - Throws: `PostgresError`.
    func removeExpired() async throws {
        let limit = 1000
        while try await accounts.removeExpiredSessions(limit: limit) == limit {}
    }
}

extension TimePartitions {
    /// The partitions of `account.request`.
    static func account(pool: PostgresPool, logger: Logger) -> TimePartitions {
        TimePartitions(schema: "account", series: [Series(table: "request", hours: 4)], pool: pool, logger: logger)
    }
}
