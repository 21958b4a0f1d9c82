/// A token bucket. It fills at a constant rate up to its capacity, thereby limiting both the sustained rate of requests
/// and the burst after a pause. The caller supplies the current time.
package struct TokenBucket: Hashable, Sendable {
    /// The rate at which a bucket fills, and its capacity.
    package struct Rate: Hashable, Sendable {
        /// Tokens per minute, at least 1.
        package let perMinute: Int
        /// The capacity in tokens, at least 1.
        package let burst: Int

        /// Creates a rate.
        package init(perMinute: Int, burst: Int) {
            self.perMinute = perMinute
            self.burst = burst
        }

        /// Creates a rate.
        package init(perSecond: Int, burst: Int) { self.init(perMinute: 60 * perSecond, burst: burst) }

        /// Whole tokens per second, rounded down.
        package var perSecond: Int { perMinute / 60 }

        fileprivate var perExactSecond: Double { Double(perMinute) / 60 }
    }

    private let rate: Rate
    private var tokens: Double
    private var countedAt: ContinuousClock.Instant

    /// Creates a full bucket.
    package init(_ rate: Rate, now: ContinuousClock.Instant) {
        self.rate = rate
        tokens = Double(rate.burst)
        countedAt = now
    }

    /// Returns whether the bucket is full. A full bucket is equivalent to a new one.
    package func isFull(at now: ContinuousClock.Instant) -> Bool { level(at: now) >= Double(rate.burst) }

    /// Returns the time until a token is available; zero if one is available now.
    package func wait(at now: ContinuousClock.Instant) -> Duration {
        let missing = 1 - level(at: now)
        return missing > 0 ? .seconds(missing / rate.perExactSecond) : .zero
    }

    /// Takes a token, which must be available.
    package mutating func take(at now: ContinuousClock.Instant) {
        tokens = max(0, level(at: now) - 1)
        countedAt = now
    }

    /// Puts a taken token back into the bucket. A full bucket stays full.
    package mutating func giveBack(at now: ContinuousClock.Instant) {
        tokens = min(Double(rate.burst), level(at: now) + 1)
        countedAt = now
    }

    private func level(at now: ContinuousClock.Instant) -> Double {
        let filled = max(0, (now - countedAt) / .seconds(1)) * rate.perExactSecond
        return min(Double(rate.burst), tokens + filled)
    }
}
