/// How requests are retried after transient failures.
struct S3Retries: Sendable {
    var maxAttempts = 5
    /// The pause before the second attempt. The pause doubles after each attempt, and is shortened by a random fraction
    /// of at most one half.
    var firstPause = Duration.milliseconds(100)
    var longestPause = Duration.seconds(5)
    /// The time after which no further attempt begins.
    var limit = Duration.seconds(120)
    /// A time limit for each attempt. The request's own limit applies if it is shorter.
    var attemptLimit: Duration?

    /// A single attempt of at most three seconds, for requests that are sent periodically anyway.
    static let none = S3Retries(maxAttempts: 1, attemptLimit: .seconds(3))

    /// For a server that might still be starting.
    static let starting = S3Retries(maxAttempts: 100, longestPause: .seconds(2), limit: .seconds(60))

    /// Returns the pause after `attempts` attempts.
    func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}
