/// The waits between attempts to connect: doubling up to a limit, each drawn from its upper half so that clients which
/// lost the same broker do not come back in step.
struct ReconnectBackoff: Sendable {
    private let minimum: Duration
    private let maximum: Duration
    private var attempts = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = minimum
        self.maximum = max(minimum, maximum)
    }

    /// The wait before the next attempt.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        // 2^20 times the minimum is past any maximum that makes sense, and far from overflowing.
        let ceiling = min(maximum, minimum * (1 << min(attempts, 20)))
        attempts += 1
        return ceiling * Double.random(in: 0.5...1, using: &random)
    }

    /// Starts again at the minimum, after a connection has stood.
    mutating func reset() {
        attempts = 0
    }
}
