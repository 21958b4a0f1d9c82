/// How a request is repeated while its service or broker is away.
package struct RetryPolicy: Sendable {
    /// The longest wait for one attempt's answer. A request can be lost with a broker that keeps it in memory only.
    package var attemptLimit: Duration = .seconds(15)
    /// The pause before the second attempt; it doubles with each one.
    var firstPause: Duration
    /// The longest pause.
    var longestPause: Duration
    /// How many attempts there are at most.
    var maxAttempts: Int

    /// A policy; without arguments it repeats until the limit of each request.
    package init(
        firstPause: Duration = .milliseconds(50), longestPause: Duration = .seconds(2), maxAttempts: Int = .max
    ) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.maxAttempts = maxAttempts
    }

    /// The pause after `attempts` attempts: exponential, and a random half of it taken away, so that many waiting
    /// requests do not come back together.
    package func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}

extension RetryPolicy {
    /// What came of one attempt.
    package enum Attempt: Sendable {
        /// An answer. Those of status 503 and 429 mean "later".
        case answered(Answer)
        /// None, for a reason that may pass.
        case silence(reason: String)
    }

    /// Attempts, waiting at least as long as each answer asks for in `retryAfter`, until there is an answer that does not mean "later", or until `limit` or ``maxAttempts`` is reached.
    ///
    /// - Parameter attempt: is given its number, from 1, and the time that remains.
    /// - Throws: `.unanswered` when no attempt had an answer; what `attempt` throws ends it at once.
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
                // A little longer, for those who were told the same.
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
