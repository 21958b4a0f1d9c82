internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
internal import PostgresClient

/// The error thrown when the service is shutting down. The request is neither answered nor acknowledged, so the broker
/// redelivers it.
package struct ServiceStopping: Error {
    /// Creates the error.
    package init() {}
}

/// A policy that retries work while the database is unavailable, until the request's deadline. Messages therefore do
/// not return to the broker during a database outage.
package struct DatabaseRetry: Sendable {
    private let logger: Logger
    private let metrics: RequestMetrics
    private let clock: any Clock<Duration>

    /// Creates a retry policy that uses `clock` for waiting.
    package init(logger: Logger, metrics: RequestMetrics, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Runs `work` until it succeeds or fails for a reason other than a database outage, or until the deadline passes.
    ///
    /// - Parameters:
    ///   - deadline: milliseconds since 1970; nil to retry until the service stops.
    ///   - failure: an error type. Errors of this type result from the work itself and are rethrown unchanged.
    /// - Throws: the ``ServerError`` or `failure` that `work` threw; `TRY_AGAIN_LATER` after the deadline;
    ///   ``ServiceStopping`` when the service is shutting down; `INTERNAL_ERROR` for any other error.
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

    /// How to react to an error that interrupted work.
    package enum Reaction: Sendable {
        /// Try again, because the database is unreachable, full, or read-only after a failover, or has aborted this
        /// transaction to resolve a deadlock.
        case retry
        /// Give up, because the task is cancelled: the service is shutting down.
        case stop
        /// Answer with `INTERNAL_ERROR`, because any other error is a defect in the service.
        case fail
    }

    /// Returns the reaction to `error`.
    package func classify(_ error: any Error) -> Reaction {
        // Only the cancellation of this task means that the service is shutting down. A connection that is closed
        // during a request is treated like a lost connection.
        if Task.isCancelled { return .stop }
        guard let error = error as? PostgresError else { return .fail }
        let isOfConnection = [.closed, .cancelled, .leaseTimedOut].contains(error.code)
        if isOfConnection || error.isConnectionFailure || error.isRetryable { return .retry }
        guard let state = error.sqlState else { return .fail }
        // The retried classes are insufficient resources, operator intervention, system errors, and errors in
        // authentication or the database name, because a role or database might not exist yet or a password might have
        // changed. The retried codes are those for a read-only transaction and an unavailable lock.
        let isUnavailable =
            ["28", "3D", "53", "57", "58"].contains(state.conditionClass)
            || ["25006", "55P03"].contains(state.rawValue)
        return isUnavailable ? .retry : .fail
    }

    /// Waits before the next attempt, at most 1 s, with exponential back-off and jitter.
    ///
    /// - Throws: ``ServiceStopping`` if the task is cancelled.
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
