/// The rules for retrying a request while its service or broker is unavailable.
package struct RetryPolicy: Sendable {
    /// The maximum wait for the answer to one attempt. The broker keeps requests only in memory, so a request is lost
    /// if the broker stops.
    package var attemptLimit: Duration = .seconds(15)
    /// The pause before the second attempt. The pause doubles after each attempt.
    var firstPause: Duration
    /// The maximum pause.
    var longestPause: Duration
    /// The maximum number of attempts.
    var maxAttempts: Int

    /// Creates a policy. By default, the number of attempts is restricted only by each request's time limit.
    package init(
        firstPause: Duration = .milliseconds(50), longestPause: Duration = .seconds(2), maxAttempts: Int = .max
    ) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.maxAttempts = maxAttempts
    }

    /// Returns the pause after `attempts` attempts. The pause grows exponentially and is shortened by a random fraction
    /// of at most one half, so that waiting requests are not all retried at the same time.
    package func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}

extension RetryPolicy {
    /// The outcome of an attempt.
    package enum Attempt: Sendable {
        /// An answer. Status 503 and 429 mean "try again later".
        case answered(Answer)
        /// No answer, for a transient reason.
        case silence(reason: String)
    }

    /// Repeats `attempt` while its answer means "try again later" or is missing, until `limit` or ``maxAttempts`` is
    /// reached. Waits for at least as long as an answer's `retryAfter` specifies.
    ///
    /// - Parameter attempt: called with the number of the attempt, starting at 1, and the remaining time.
    /// - Throws: `.unanswered` if the last attempt got no answer. An error that `attempt` throws is rethrown
    ///   immediately.
    package func answer(
        within limit: Duration,
        _ attempt: (_ number: Int, _ remaining: Duration) async throws(RequestFailure) -> Attempt
    ) async throws(RequestFailure) -> Answer {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + limit
        var random = SystemRandomNumberGenerator()
        var attempts = 0
        while true {
            attempts += 1
            let last = try await attempt(attempts, end - clock.now)
            if case .answered(let answer) = last, answer.status != 503, answer.status != 429 { return answer }
            var pause = pause(afterAttempts: attempts, using: &random)
            if case .answered(let answer) = last, let seconds = answer.retryAfter {
                // Waits up to 10 percent longer, so that clients that got the same answer do not all retry at the same
                // time.
                pause = max(pause, .seconds(seconds) * Double.random(in: 1...1.1, using: &random))
            }
            do {
                guard attempts < maxAttempts, clock.now + pause < end else { throw CancellationError() }
                try await clock.sleep(for: pause)
            } catch {
                switch last {
                case .answered(let answer): return answer
                case .silence(let reason):
                    throw .unanswered(
                        reason: "\(reason) (\(attempts) attempts in \(Int((clock.now - start).seconds)) s)")
                }
            }
        }
    }
}
