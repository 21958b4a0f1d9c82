internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
internal import PostgresClient

/// The error thrown when the service is shutting down. The request is neither answered nor acknowledged, and the broker
/// redelivers it.
package struct Withheld: Error {
    /// Creates the error.
    package init() {}
}

/// Retries a request while the database is unavailable, until the request's deadline. A database outage never returns a
/// message to the broker.
package struct DatabaseTrouble: Sendable {
    private let logger: Logger
    private let metrics: RequestMetrics
    private let clock: any Clock<Duration>

    /// Creates a retry policy that waits by `clock`.
    package init(logger: Logger, metrics: RequestMetrics, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Runs `work` until it succeeds, fails for a reason other than a database outage, or the deadline (milliseconds
    /// since 1970) passes.
    ///
    /// - Throws: the ``ServerError`` that `work` threw, `TRY_AGAIN_LATER` past the deadline, `INTERNAL_ERROR` for any
    ///   other error, or ``Withheld`` when the service is shutting down.
    ///
    /// - Parameter failure: an error type that is a result of the work itself and is rethrown unchanged.
    package func outlast<Value>(
        deadline: Int64?, failingWith failure: (any Error.Type)? = nil, _ work: () async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            if let deadline, deadline < SystemClock.milliseconds() { throw Self.away }
            do {
                return try await work()
            } catch let error as ServerError {
                throw error
            } catch  where failure.map({ type(of: error) == $0 }) == true {
                throw error
            } catch {
                switch verdict(on: error) {
                case .ending: throw Withheld()
                case .transient:
                    attempt += 1
                    try await pause(after: error, attempt: attempt)
                case .fault:
                    logger.error("a request failed unexpectedly", metadata: ["error": "\(error.logDescription)"])
                    throw ServerError.internalError()
                }
            }
        }
    }

    /// The classification of an error for the request that it interrupts.
    package enum Verdict: Sendable {
        /// A retry may help: the database is unreachable, full, read-only after a failover, or chose this transaction
        /// as a deadlock's victim.
        case transient
        /// The task is cancelled because the service is shutting down.
        case ending
        /// Any other error, which is a defect of the service.
        case fault
    }

    /// Classifies `error`.
    package func verdict(on error: any Error) -> Verdict {
        // Only the cancellation of this task means shutdown. A connection closed during a request is treated like a
        // lost one.
        if Task.isCancelled { return .ending }
        guard let error = error as? PostgresError else { return .fault }
        let isOfConnection = [.closed, .cancelled, .leaseTimedOut].contains(error.code)
        if isOfConnection || error.isConnectionTrouble || error.isRetryable { return .transient }
        guard let state = error.sqlState else { return .fault }
        // Retried classes: insufficient resources, operator intervention, system error, a role or database that does
        // not exist yet or whose password has changed; and the codes for a read-only transaction and an unavailable
        // lock.
        let isOurTrouble =
            ["28", "3D", "53", "57", "58"].contains(state.conditionClass)
            || ["25006", "55P03"].contains(state.rawValue)
        return isOurTrouble ? .transient : .fault
    }

    /// Waits before the next attempt, with exponential back-off and jitter.
    ///
    /// - Throws: ``Withheld`` when the task is cancelled.
    package func pause(after error: any Error, attempt: Int) async throws(Withheld) {
        metrics.databaseRetries.increment()
        if attempt == 1 || attempt.isMultiple(of: 20) {
            logger.warning("the database is in trouble; trying again", metadata: ["error": "\(error)"])
        }
        let limit = min(1000, 20 << min(attempt, 6))
        do {
            try await clock.sleep(for: .milliseconds(Int.random(in: limit / 2...limit)))
        } catch {
            throw Withheld()
        }
    }

    private static var away: ServerError {
        ServerError(.databaseAway, "The database cannot be reached")
    }
}

/// The wall clock.
package enum SystemClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }
}
