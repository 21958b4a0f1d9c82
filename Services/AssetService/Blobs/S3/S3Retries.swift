/// How a request that failed for a passing reason is repeated.
struct S3Retries: Sendable {
    var maxAttempts = 5
    /// The pause before the second attempt; it doubles with each one, and a random half of it is taken away.
    var firstPause = Duration.milliseconds(100)
    var longestPause = Duration.seconds(5)
    /// After that long no attempt begins.
    var limit = Duration.seconds(120)
    /// The longest attempt, when that is less than the request's own limit.
    var attemptLimit: Duration?

    /// One attempt, within three seconds: for questions that are asked again anyway.
    static let none = S3Retries(maxAttempts: 1, attemptLimit: .seconds(3))

    /// For a server that starts together with us.
    static let starting = S3Retries(maxAttempts: 100, longestPause: .seconds(2), limit: .seconds(60))

    /// The pause after `attempts` attempts.
    func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}
