/// A bucket of tokens that is filled at a steady rate and never over its brim: so many requests a second in the long
/// run, so many more at once after a rest. A value without a clock.
package struct TokenBucket: Hashable, Sendable {
    /// How fast a bucket fills, and how much it holds.
    package struct Rate: Hashable, Sendable {
        /// Tokens a minute; above 0.
        package let perMinute: Int
        /// Tokens at once; above 0.
        package let burst: Int

        /// A rate of that much.
        package init(perMinute: Int, burst: Int) {
            self.perMinute = perMinute
            self.burst = burst
        }

        /// A rate of that much.
        package init(perSecond: Int, burst: Int) { self.init(perMinute: 60 * perSecond, burst: burst) }

        /// Whole tokens a second.
        package var perSecond: Int { perMinute / 60 }

        fileprivate var perExactSecond: Double { Double(perMinute) / 60 }
    }

    private let rate: Rate
    private var tokens: Double
    private var countedAt: ContinuousClock.Instant

    /// A full bucket.
    package init(_ rate: Rate, now: ContinuousClock.Instant) {
        self.rate = rate
        tokens = Double(rate.burst)
        countedAt = now
    }

    /// Whether it is as good as a new one.
    package func isFull(at now: ContinuousClock.Instant) -> Bool { level(at: now) >= Double(rate.burst) }

    /// How long until there is a token to take; zero when there is one.
    package func wait(at now: ContinuousClock.Instant) -> Duration {
        let missing = 1 - level(at: now)
        return missing > 0 ? .seconds(missing / rate.perExactSecond) : .zero
    }

    /// Takes a token, which there must be.
    package mutating func take(at now: ContinuousClock.Instant) {
        tokens = max(0, level(at: now) - 1)
        countedAt = now
    }

    /// Puts a token back that was taken; a full bucket stays as it is.
    package mutating func giveBack(at now: ContinuousClock.Instant) {
        tokens = min(Double(rate.burst), level(at: now) + 1)
        countedAt = now
    }

    private func level(at now: ContinuousClock.Instant) -> Double {
        let filled = max(0, (now - countedAt) / .seconds(1)) * rate.perExactSecond
        return min(Double(rate.burst), tokens + filled)
    }
}
