/// A bucket for each key that took from it lately. Its memory is bounded by the keys of the requests of the last
/// burst ÷ rate seconds: a bucket that has filled again is as good as none, and forgotten.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Below so many nothing is looked through.
    private static var leastToForget: Int { 1024 }

    private let rate: TokenBucket.Rate
    private var buckets: [Key: TokenBucket] = [:]
    private var nextLook = Self.leastToForget

    /// Buckets of that rate, all full.
    package init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// How many are remembered.
    package var count: Int { buckets.count }

    /// How long until `key` may take a token; zero when it may.
    package func wait(_ key: Key, at now: ContinuousClock.Instant) -> Duration { buckets[key]?.wait(at: now) ?? .zero }

    /// Takes a token of `key`.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key, default: TokenBucket(rate, now: now)].take(at: now)
        if buckets.count >= nextLook {
            buckets = buckets.filter { !$0.value.isFull(at: now) }
            nextLook = max(Self.leastToForget, 2 * buckets.count)
        }
    }

    /// Puts a token of `key` back that was taken.
    package mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key]?.giveBack(at: now)
    }
}
