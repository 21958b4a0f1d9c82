/// The delays between connection attempts. They double up to a limit, and each is drawn from its upper half, so that
/// clients that lost the same broker do not reconnect at the same time.
struct ReconnectBackoff: Sendable {
    private let minimum: Duration
    private let maximum: Duration
    private var attempts = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = minimum
        self.maximum = max(minimum, maximum)
    }

    /// Returns the delay before the next attempt.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        // 2^20 times the minimum exceeds any sensible maximum and does not overflow.
        let ceiling = min(maximum, minimum * (1 << min(attempts, 20)))
        attempts += 1
        return ceiling * Double.random(in: 0.5...1, using: &random)
    }

    /// Restarts at the minimum, after a connection has lasted.
    mutating func reset() {
        attempts = 0
    }
}
