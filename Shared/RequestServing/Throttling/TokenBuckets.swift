/// A token bucket for each key that recently took a token. A bucket that has filled up again is equivalent to a new one
/// and is removed. Memory is therefore proportional to the number of keys that took tokens in the last `burst / rate`
/// seconds.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// The number of buckets below which full buckets are not removed.
    private static var leastToForget: Int { 1024 }

    private let rate: TokenBucket.Rate
    private var buckets: [Key: TokenBucket] = [:]
    private var nextLook = Self.leastToForget

    /// Creates buckets of the given rate, all full.
    package init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// The number of buckets in memory.
    package var count: Int { buckets.count }

    /// Returns the time until a token is available for `key`; zero if one is available now.
    package func wait(_ key: Key, at now: ContinuousClock.Instant) -> Duration { buckets[key]?.wait(at: now) ?? .zero }

    /// Takes a token for `key`. A token must be available.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key, default: TokenBucket(rate, now: now)].take(at: now)
        if buckets.count >= nextLook {
            buckets = buckets.filter { !$0.value.isFull(at: now) }
            nextLook = max(Self.leastToForget, 2 * buckets.count)
        }
    }

    /// Puts a token that was taken for `key` back into its bucket.
    package mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key]?.giveBack(at: now)
    }
}
