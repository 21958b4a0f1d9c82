/// How requests are repeated after transient failures.
struct S3Retries: Sendable {
    var maxAttempts = 5
    /// The pause before the second attempt. It doubles with each attempt, and is shortened by a random fraction up to a half.
    var firstPause = Duration.milliseconds(100)
    var longestPause = Duration.seconds(5)
    /// The time after which no attempt begins.
    var limit = Duration.seconds(120)
    /// A time limit for each attempt, if it is shorter than that of the request.
    var attemptLimit: Duration?

    /// One attempt within three seconds, for requests that are repeated anyway.
    static let none = S3Retries(maxAttempts: 1, attemptLimit: .seconds(3))

    /// This is for a server that starts at the same time.
    static let starting = S3Retries(maxAttempts: 100, longestPause: .seconds(2), limit: .seconds(60))

    /// The pause after `attempts` attempts.
    func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}
