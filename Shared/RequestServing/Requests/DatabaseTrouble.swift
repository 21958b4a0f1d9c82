internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
internal import PostgresClient

/// The service is ending: the request is neither answered nor acknowledged, and the broker gives it to another.
package struct Withheld: Error {
    /// The service is ending.
    package init() {}
}

/// What a request does while the database is away: it is held and tried again until its deadline. Trouble of our own
/// never returns a message.
package struct DatabaseTrouble: Sendable {
    private let logger: Logger
    private let metrics: RequestMetrics
    private let clock: any Clock<Duration>

    /// Tries with waits of `clock`.
    package init(logger: Logger, metrics: RequestMetrics, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Runs `work` until it succeeds, fails for another reason than trouble with the database, or the deadline
    /// (milliseconds since 1970) passes.
    ///
    /// - Throws: the ``ServerError`` that `work` threw, `TRY_AGAIN_LATER` past the deadline, `INTERNAL_ERROR` for
    ///   anything else, ``Withheld`` when the service is ending.
    ///
    /// - Parameter failure: an error type that is the work's own result, and thrown as it is.
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

    /// What an error means for the request that met it.
    package enum Verdict: Sendable {
        /// Trying again may help: the database is away, full, read-only after a failover, or chose us as a deadlock's
        /// victim.
        case transient
        /// The task is cancelled: the service ends.
        case ending
        /// Anything else: our mistake.
        case fault
    }

    /// What `error` means.
    package func verdict(on error: any Error) -> Verdict {
        // Only our own cancellation is the end; a connection that was closed under a request is like a lost one.
        if Task.isCancelled { return .ending }
        guard let error = error as? PostgresError else { return .fault }
        let isOfConnection = [.closed, .cancelled, .leaseTimedOut].contains(error.code)
        if isOfConnection || error.isConnectionTrouble || error.isRetryable { return .transient }
        guard let state = error.sqlState else { return .fault }
        // Insufficient resources, operator intervention, system error, a role or database that is not made yet or has got
        // another password; read-only transaction, lock not available.
        let isOurTrouble =
            ["28", "3D", "53", "57", "58"].contains(state.conditionClass)
            || ["25006", "55P03"].contains(state.rawValue)
        return isOurTrouble ? .transient : .fault
    }

    /// Waits a moment, longer from attempt to attempt, with jitter.
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
