/// The delays between connection attempts. Their upper bound doubles up to a maximum. Each delay is chosen at random
/// between half the bound and the full bound, so that clients that lost their connections to the same broker do not all
/// reconnect at the same time.
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

    /// Resets the delay to the minimum.
    mutating func reset() {
        attempts = 0
    }
}
