internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
internal import PostgresClient

/// The error thrown when the service is shutting down. The request is neither answered nor acknowledged, and the broker
/// redelivers it.
package struct ServiceStopping: Error {
    /// Creates the error.
    package init() {}
}

/// Retries work while the database is unavailable, until the request's deadline. A database outage never returns a
/// message to the broker.
package struct DatabaseRetry: Sendable {
    private let logger: Logger
    private let metrics: RequestMetrics
    private let clock: any Clock<Duration>

    /// Creates a retry policy that waits by `clock`.
    package init(logger: Logger, metrics: RequestMetrics, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Runs `work` until it succeeds, fails for a reason other than a database outage, or the deadline passes.
    ///
    /// - Parameters:
    ///   - deadline: milliseconds since 1970; nil to retry until the service stops.
    ///   - failure: an error type that is a result of the work itself and is rethrown unchanged.
    /// - Throws: the ``ServerError`` that `work` threw, `TRY_AGAIN_LATER` past the deadline, `INTERNAL_ERROR` for any
    ///   other error, or ``ServiceStopping`` when the service is shutting down.
    package func run<Value>(
        deadline: Int64?, failingWith failure: (any Error.Type)? = nil, _ work: () async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            if let deadline, deadline < SystemClock.milliseconds() { throw Self.unavailable }
            do {
                return try await work()
            } catch let error as ServerError {
                throw error
            } catch  where failure.map({ type(of: error) == $0 }) == true {
                throw error
            } catch {
                switch classify(error) {
                case .stop: throw ServiceStopping()
                case .retry:
                    attempt += 1
                    try await pause(after: error, attempt: attempt)
                case .fail:
                    logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
                    throw ServerError.internalError()
                }
            }
        }
    }

    /// What to do with work that an error interrupted.
    package enum Reaction: Sendable {
        /// Try again: the database is unreachable, full, read-only after a failover, or chose this transaction as a
        /// deadlock's victim.
        case retry
        /// Give up: the task is cancelled because the service is shutting down.
        case stop
        /// Answer with `INTERNAL_ERROR`: any other error is a defect of the service.
        case fail
    }

    /// Returns what to do after `error`.
    package func classify(_ error: any Error) -> Reaction {
        // Only the cancellation of this task means shutdown. A connection closed during a request is treated like a
        // lost one.
        if Task.isCancelled { return .stop }
        guard let error = error as? PostgresError else { return .fail }
        let isOfConnection = [.closed, .cancelled, .leaseTimedOut].contains(error.code)
        if isOfConnection || error.isConnectionFailure || error.isRetryable { return .retry }
        guard let state = error.sqlState else { return .fail }
        // Retried classes: insufficient resources, operator intervention, system error, a role or database that does
        // not exist yet or whose password has changed; and the codes for a read-only transaction and an unavailable
        // lock.
        let isUnavailable =
            ["28", "3D", "53", "57", "58"].contains(state.conditionClass)
            || ["25006", "55P03"].contains(state.rawValue)
        return isUnavailable ? .retry : .fail
    }

    /// Waits before the next attempt, with exponential back-off and jitter: at most 1 s.
    ///
    /// - Throws: ``ServiceStopping`` when the task is cancelled.
    package func pause(after error: any Error, attempt: Int) async throws(ServiceStopping) {
        metrics.databaseRetries.increment()
        if attempt == 1 || attempt.isMultiple(of: 20) {
            logger.warning("the database is unavailable; retrying", metadata: ["error": "\(error)"])
        }
        let limit = min(1000, 20 << min(attempt, 6))
        do {
            try await clock.sleep(for: .milliseconds(Int.random(in: limit / 2...limit)))
        } catch {
            throw ServiceStopping()
        }
    }

    private static var unavailable: ServerError {
        ServerError(.databaseAway, "The database is temporarily unavailable")
    }
}

/// The wall clock.
package enum SystemClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
