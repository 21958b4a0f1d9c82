/// A token bucket for each key that recently took a token. Memory is bounded by the number of keys with requests in the
/// last burst ÷ rate seconds: a bucket that has filled up again is equivalent to a new one and is removed.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Below this number of buckets, full ones are not searched for and removed.
    private static var leastToForget: Int { 1024 }

    private let rate: TokenBucket.Rate
    private var buckets: [Key: TokenBucket] = [:]
    private var nextLook = Self.leastToForget

    /// Creates buckets of that rate, all full.
    package init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// The number of buckets in memory.
    package var count: Int { buckets.count }

    /// Returns the time until `key` may take a token; zero when it may now.
    package func wait(_ key: Key, at now: ContinuousClock.Instant) -> Duration { buckets[key]?.wait(at: now) ?? .zero }

    /// Takes a token for `key`.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key, default: TokenBucket(rate, now: now)].take(at: now)
        if buckets.count >= nextLook {
            buckets = buckets.filter { !$0.value.isFull(at: now) }
            nextLook = max(Self.leastToForget, 2 * buckets.count)
        }
    }

    /// Puts back a token that was taken for `key`.
    package mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key]?.giveBack(at: now)
    }
}
