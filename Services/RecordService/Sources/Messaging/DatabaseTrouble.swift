package import CloudKitModel
internal import Foundation
package import Logging
package import PostgresClient
package import ServiceRuntime

/// What a request does while the database is away: it is held and tried again until its deadline. Trouble of our own
/// never returns a message.
package struct DatabaseTrouble: Sendable {
    private let logger: Logger
    private let metrics: ServiceMetrics
    private let clock: any Clock<Duration>

    /// Tries with waits of `clock`.
    package init(logger: Logger, metrics: ServiceMetrics, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Runs `work` until it succeeds, fails for another reason than trouble with the database, or the deadline
    /// (milliseconds since 1970) passes.
    ///
    /// - Throws: the ``ServerError`` that `work` threw, `TRY_AGAIN_LATER` past the deadline or when the task is
    ///   cancelled, `INTERNAL_ERROR` for anything else.
    package func outlast<Value>(deadline: Int64?, _ work: () async throws -> Value) async throws(ServerError) -> Value {
        var attempt = 0
        while true {
            do {
                return try await work()
            } catch let error as ServerError {
                throw error
            } catch let error as PostgresError where isTransient(error) {
                attempt += 1
                if let deadline, deadline < SystemClock.milliseconds() { throw Self.away }
                guard await pause(after: error, attempt: attempt) else { throw Self.away }
            } catch {
                logger.error("a request failed unexpectedly", metadata: ["error": "\(String(reflecting: error))"])
                throw .internalError()
            }
        }
    }

    /// Whether trying again may help.
    package func isTransient(_ error: PostgresError) -> Bool {
        error.isConnectionTrouble || error.isRetryable || error.code == .leaseTimedOut
    }

    /// Waits a moment, longer from attempt to attempt, with jitter.
    ///
    /// - Returns: false when the task was cancelled.
    package func pause(after error: PostgresError, attempt: Int) async -> Bool {
        metrics.count(ServiceMetrics.Series("zonda_database_retries_total"))
        if attempt == 1 || attempt.isMultiple(of: 20) {
            logger.warning("the database is in trouble; trying again", metadata: ["error": "\(error)"])
        }
        let limit = min(1000, 20 << min(attempt, 6))
        let delay = Duration.milliseconds(Int.random(in: limit / 2...limit))
        do {
            try await clock.sleep(for: delay)
            return true
        } catch {
            return false
        }
    }

    private static var away: ServerError {
        .tryAgainLater("database_away", "The database cannot be reached", retryAfter: 2)
    }
}

/// The wall clock.
package enum SystemClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
