/// How a request is repeated while its service or broker is away.
struct RetryPolicy: Sendable {
    /// The longest wait for one attempt's answer. A request can be lost with a broker that keeps it in memory only.
    var attemptLimit: Duration = .seconds(15)
    /// The pause before the second attempt; it doubles with each one.
    var firstPause: Duration = .milliseconds(50)
    /// The longest pause.
    var longestPause: Duration = .seconds(2)

    /// The pause after `attempts` attempts: exponential, and a random half of it taken away, so that many waiting
    /// requests do not come back together.
    func pause(afterAttempts attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var pause = firstPause
        for _ in 1..<max(attempts, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * Double.random(in: 0.5...1, using: &random)
    }
}
